import { z } from 'zod';
import type { HoldDurations, SteamAnswer, TradeReport, TradeStanding } from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';
import type { MovedAsset } from '#domain/transfer/transfer-effects.ts';

// Methods of Steam's Web API that steam-tradeoffer-manager lacks or offers without the fields we need.

const asset = z.object({
  appid: z.coerce.number(),
  assetid: z.string(),
  new_assetid: z.string().optional(),
  new_contextid: z.coerce.string().optional(),
  rollback_new_assetid: z.string().optional(),
  rollback_new_contextid: z.coerce.string().optional(),
});
const trade = z.object({
  tradeid: z.string(),
  status: z.number().int().min(0).max(12),
  time_settlement: z.number().optional(),
  rollback_trade: z.string().optional(),
  assets_given: z.array(asset).default([]),
  assets_received: z.array(asset).default([]),
});
type Trade = z.output<typeof trade>;
export const tradesAnswer = z.object({ response: z.object({ trades: z.array(trade).default([]) }) });
const escrow = z.object({ escrow_end_duration_seconds: z.number().default(0) });
export const holdAnswer = z.object({ response: z.object({ my_escrow: escrow, their_escrow: escrow }) });

/** ETradeStatus; the packages do not list 12, the reversal under Trade Protection. */
const standingOf: Record<number, TradeStanding> = {
  0: 'pending',
  1: 'pending',
  2: 'pending',
  3: 'complete',
  4: 'rolledBack',
  5: 'reversed',
  6: 'reversed',
  7: 'reversed',
  8: 'complete',
  9: 'complete',
  10: 'escrowed',
  11: 'rolledBack',
  12: 'reversed',
};

const assetsOf = (of: Trade) => [...of.assets_given, ...of.assets_received];

/** A trade's status and where its assets went. An unknown status counts as pending. */
export function tradeReportOf(of: Trade): TradeReport {
  return {
    standing: standingOf[of.status] ?? 'pending',
    moved: movedIn(of),
    ...(of.time_settlement && { settlesAtMs: of.time_settlement * 1000 }),
  };
}

const movedIn = (of: Trade): MovedAsset[] =>
  assetsOf(of).flatMap(({ appid, assetid, new_assetid, new_contextid }) =>
    new_assetid
      ? [{ appId: appid, assetId: assetid, newAssetId: new_assetid, newContextId: new_contextid ?? '2' }]
      : [],
  );

/**
 * The assets that a reversed trade returned: from the trade that names it as rolled back, otherwise from its own rows.
 */
export function reversalIn(history: readonly Trade[], reversed: Trade | undefined): MovedAsset[] {
  const back = history.find((each) => each.rollback_trade === reversed?.tradeid);
  if (back) return movedIn(back);
  return (reversed ? assetsOf(reversed) : []).flatMap((each) =>
    each.new_assetid && each.rollback_new_assetid
      ? [
          {
            appId: each.appid,
            assetId: each.new_assetid,
            newAssetId: each.rollback_new_assetid,
            newContextId: each.rollback_new_contextid ?? '2',
          },
        ]
      : [],
  );
}

const DAY_SECONDS = 86_400;

/** How many days, rounded up, Steam would hold each side's items; 0 means no hold. */
export function holdDurationsOf(answer: z.output<typeof holdAnswer>): HoldDurations {
  const days = ({ escrow_end_duration_seconds: seconds }: z.output<typeof escrow>) =>
    Math.ceil(seconds / DAY_SECONDS);
  return { ourDays: days(answer.response.my_escrow), theirDays: days(answer.response.their_escrow) };
}

/** The failure in a Web API response's result header; null: the body can be read. */
export function refusalOf(result: string | undefined): SteamAnswer<never> | null {
  if (result === undefined || result === '1') return null;
  if (result === '15' || result === '8') return failure('steamTokenInvalid', 'never', `result ${result}`);
  return failure(result === '84' ? 'steamBusy' : 'steamUnavailable', 'later', `result ${result}`);
}
