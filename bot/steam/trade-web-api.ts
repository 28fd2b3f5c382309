import { z } from 'zod';
import { openContextOf } from '#bot/steam/games.ts';
import type {
  HoldDurations,
  SteamAnswer,
  TradeParties,
  TradeReport,
  TradeStanding,
} from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';
import { amount, id, readableRows } from '#bot/steam/web-rows.ts';
import type { MovedAsset } from '#domain/transfer/transfer-effects.ts';

// Methods of Steam's Web API that steam-tradeoffer-manager lacks or offers without the fields we need.

const asset = z.object({
  appid: amount,
  assetid: id,
  amount: amount.nullish(),
  new_assetid: id.nullish(),
  new_contextid: id.nullish(),
  rollback_new_assetid: id.nullish(),
  rollback_new_contextid: id.nullish(),
});
const trade = z.object({
  tradeid: id,
  status: z.number().int(),
  time_init: amount.nullish(),
  time_settlement: amount.nullish(),
  steamid_other: id.nullish(),
  rollback_trade: id.nullish(),
  assets_given: readableRows(asset),
  assets_received: readableRows(asset),
});
export type Trade = z.output<typeof trade>;
export const tradesAnswer = z.object({
  response: z.object({ trades: readableRows(trade), more: z.boolean().optional() }),
});
const escrow = z.object({ escrow_end_duration_seconds: z.number().default(0) });
export const holdAnswer = z.object({ response: z.object({ my_escrow: escrow, their_escrow: escrow }) });

/** ETradeStatus; the packages do not list 12, the reversal under Trade Protection. */
const standingOf: Record<number, TradeStanding> = {
  0: 'pending',
  1: 'pending',
  2: 'pending',
  3: 'complete',
  4: 'rolledBack',
  5: 'reversedInPart',
  6: 'reversed',
  7: 'reversedInPart',
  8: 'complete',
  9: 'complete',
  10: 'escrowed',
  11: 'rolledBack',
  12: 'reversed',
};

const assetsOf = (of: Trade) => [...of.assets_given, ...of.assets_received];

/** Reports a trade's status and where its assets went. An unknown status counts as pending. */
export function tradeReportOf(of: Trade): TradeReport {
  return {
    standing: standingOf[of.status] ?? 'pending',
    moved: assetsOf(of).flatMap(({ appid, assetid, new_assetid, new_contextid }) =>
      new_assetid
        ? [
            {
              appId: appid,
              assetId: assetid,
              newAssetId: new_assetid,
              newContextId: new_contextid ?? openContextOf(appid),
            },
          ]
        : [],
    ),
    ...(of.time_init && { madeAtMs: of.time_init * 1000 }),
    ...(of.time_settlement && { settlesAtMs: of.time_settlement * 1000 }),
  };
}

/** Names a trade's partner and assets, by which it can be found without its id. */
export const partiesOf = (of: Trade): TradeParties => ({
  partnerSteamId: of.steamid_other ?? null,
  assets: assetsOf(of).map(({ appid, assetid, amount: pieces }) => ({
    appId: appid,
    assetId: assetid,
    ...(pieces && { amount: pieces }),
  })),
});

/**
 * Finds the assets that a reversed trade returned, as far as its records name them: in its own rows, and in
 * the trade that names it as rolled back. The rows of the latter have the assets either under the ids that
 * the trade gave them and new ones, or under their first ids, which they have again.
 */
export function reversalIn(history: readonly Trade[], reversed: Trade): MovedAsset[] {
  const back = history.find((each) => each.rollback_trade === reversed.tradeid);
  return [
    ...assetsOf(reversed).flatMap((each) =>
      each.new_assetid && each.rollback_new_assetid
        ? [movedTo(each.appid, each.new_assetid, each.rollback_new_assetid, each.rollback_new_contextid)]
        : [],
    ),
    ...(back ? assetsOf(back) : []).map((each) =>
      movedTo(each.appid, each.assetid, each.new_assetid ?? each.assetid, each.new_contextid),
    ),
  ];
}

const movedTo = (
  appId: number,
  assetId: string,
  newAssetId: string,
  newContextId: string | null | undefined,
) => ({ appId, assetId, newAssetId, newContextId: newContextId ?? openContextOf(appId) });

const DAY_SECONDS = 86_400;

/** Returns the number of days, rounded up, for which Steam would hold each side's items; 0 means no hold. */
export function holdDurationsOf(answer: z.output<typeof holdAnswer>): HoldDurations {
  const days = ({ escrow_end_duration_seconds: seconds }: z.output<typeof escrow>) =>
    Math.ceil(seconds / DAY_SECONDS);
  return { ourDays: days(answer.response.my_escrow), theirDays: days(answer.response.their_escrow) };
}

/**
 * Returns the failure in a Web API response's result header, or null if the body can be read. Steam sometimes
 * says "fail" (2) although it answered (steam-tradeoffer-manager, lib/webapi.js).
 */
export function refusalOf(result: string | undefined, hasContent: boolean): SteamAnswer<never> | null {
  if (result === undefined || result === '1' || (result === '2' && hasContent)) return null;
  if (result === '15' || result === '8') return failure('steamTokenInvalid', 'never', `result ${result}`);
  return failure(result === '84' ? 'steamBusy' : 'steamUnavailable', 'later', `result ${result}`);
}

/** Returns whether a trade of the history was made before another one. */
export const isOlder = (trade: Trade | undefined, than: Trade) =>
  Boolean(trade?.time_init && than.time_init && trade.time_init < than.time_init);
