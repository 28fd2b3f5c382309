import { and, asc, desc, eq, gt, lte, min, or, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is, isAmong, within } from '#db/dialect.ts';
import { items } from '#db/schema/item.ts';
import { type TransferState, transferItems, transfers } from '#db/schema/transfer.ts';
import { statement } from '#db/statement.ts';
import { notFrozen } from '#domain/transfer/not-frozen.ts';
import { isUnderWay, underWay } from '#domain/transfer/under-way.ts';

export type BotTransfer = typeof transfers.$inferSelect & {
  assets: {
    appId: number;
    contextId: string;
    assetId: string;
    classId: string;
    traits: string;
    wear: string;
    amount: number;
    newAssetId: string | null;
    /** True if the item left custody with its deposit, so that this transfer can no longer give it. */
    hasLeft: boolean;
  }[];
};

const inStates = (states: readonly TransferState[]) =>
  states.every(isUnderWay) ? underWay(states) : within(transfers.state, states);

/** Lists a bot's transfers in the given states with their assets, oldest first. */
export async function listBotTransfers(
  q: Reader,
  { botId, states }: { botId: string; states: readonly TransferState[] },
): Promise<BotTransfer[]> {
  const rows = await q
    .select()
    .from(transfers)
    .where(and(eq(transfers.botId, botId), inStates(states)))
    .orderBy(asc(transfers.id));
  return withAssets(q, rows);
}

/**
 * Lists a bot's offers that wait for its confirmation, with their assets, oldest first. Offers to be
 * cancelled and frozen ones are left out, because their receivers could accept them first.
 */
export async function listTransfersToConfirm(
  q: Reader,
  { botId }: { botId: string },
): Promise<BotTransfer[]> {
  const rows = await q
    .select()
    .from(transfers)
    .where(
      and(
        eq(transfers.botId, botId),
        underWay(['unconfirmed']),
        eq(transfers.cancelWanted, false),
        notFrozen(q),
      ),
    )
    .orderBy(asc(transfers.id));
  return withAssets(q, rows);
}

/** The states in which the receiver has an offer that can be cancelled. */
const cancellable = ['unconfirmed', 'sent'] as const satisfies readonly TransferState[];

/** Lists a bot's transfers to be withdrawn, and those whose offers were not answered in time, with their assets, oldest first. */
export async function listTransfersToCancel(
  q: Reader,
  { botId }: { botId: string },
  nowMs: number,
): Promise<BotTransfer[]> {
  const unanswered = and(within(transfers.state, cancellable), lte(transfers.cancelAtMs, nowMs));
  const rows = await q
    .select()
    .from(transfers)
    .where(
      and(
        eq(transfers.botId, botId),
        underWay(['queued', ...cancellable]),
        or(eq(transfers.cancelWanted, true), unanswered),
      ),
    )
    .orderBy(asc(transfers.id));
  return withAssets(q, rows);
}

/**
 * Returns the milliseconds until the bot's next offer has gone unanswered for too long; null if none waits
 * for an answer.
 */
export async function nextCancelMs(
  q: Reader,
  { botId }: { botId: string },
  nowMs: number,
): Promise<number | null> {
  const [next] = await q
    .select({ cancelAtMs: min(transfers.cancelAtMs) })
    .from(transfers)
    .where(
      and(
        eq(transfers.botId, botId),
        underWay(cancellable),
        eq(transfers.cancelWanted, false),
        gt(transfers.cancelAtMs, nowMs),
      ),
    );
  return next?.cancelAtMs ? Number(next.cancelAtMs) - nowMs : null;
}

/** Returns one transfer with its assets; null if it does not exist. */
export async function findBotTransfer(q: Reader, transferId: string): Promise<BotTransfer | null> {
  const rows = await q.select().from(transfers).where(eq(transfers.id, transferId));
  const [transfer] = await withAssets(q, rows);
  return transfer ?? null;
}

/** The columns needed to watch a trade that can still be reversed. There may be thousands. */
export type AcceptedTrade = Pick<
  typeof transfers.$inferSelect,
  'id' | 'state' | 'tradeId' | 'sentAtMs' | 'settlesAtMs' | 'unclear' | 'unclearSinceMs'
>;

/** Lists a bot's accepted transfers, ordered by when they become final. */
export const listAcceptedTrades = (q: Reader, { botId }: { botId: string }): Promise<AcceptedTrade[]> =>
  q
    .select({
      id: transfers.id,
      state: transfers.state,
      tradeId: transfers.tradeId,
      sentAtMs: transfers.sentAtMs,
      settlesAtMs: transfers.settlesAtMs,
      unclear: transfers.unclear,
      unclearSinceMs: transfers.unclearSinceMs,
    })
    .from(transfers)
    .where(and(eq(transfers.botId, botId), is(transfers.state, 'accepted')))
    .orderBy(asc(transfers.settlesAtMs));

/** Number of accepted transfers among which the newest of each game is looked for. */
const MAX_NEWEST = 50;

/**
 * Lists a bot's newest accepted transfers whose trades Steam names and can still reverse, with their assets, the newest
 * first.
 */
export async function listNewestTrades(
  q: Reader,
  { botId }: { botId: string },
  nowMs: number,
): Promise<BotTransfer[]> {
  const rows = await q
    .select()
    .from(transfers)
    .where(and(eq(transfers.botId, botId), is(transfers.state, 'accepted'), gt(transfers.settlesAtMs, nowMs)))
    .orderBy(desc(transfers.settlesAtMs))
    .limit(MAX_NEWEST);
  const named = rows.filter(({ tradeId, offerId }) => tradeId !== null && offerId !== null);
  return withAssets(q, named);
}

async function withAssets(
  q: Reader,
  rows: readonly (typeof transfers.$inferSelect)[],
): Promise<BotTransfer[]> {
  if (rows.length === 0) return [];
  const found = await readAssets(q, { ids: JSON.stringify(rows.map(({ id }) => id)) });
  const assets = new Map<string, BotTransfer['assets']>(rows.map(({ id }) => [id, []]));
  for (const { transferId, itemState, ...asset } of found)
    assets.get(transferId)?.push({ ...asset, hasLeft: itemState === 'gone' });
  return rows.map((row) => ({ ...row, assets: assets.get(row.id) ?? [] }));
}

/** The ids are passed as one value, because a bot has more transfers under way than a statement takes. */
const readAssets = statement('assets_of_transfers', (q) =>
  q
    .select({
      transferId: transferItems.transferId,
      appId: transferItems.appId,
      contextId: transferItems.contextId,
      assetId: transferItems.assetId,
      classId: transferItems.classId,
      traits: transferItems.traits,
      wear: transferItems.wear,
      amount: transferItems.amount,
      newAssetId: transferItems.newAssetId,
      itemState: items.state,
    })
    .from(transferItems)
    .leftJoin(items, eq(items.id, transferItems.itemId))
    .where(isAmong(transferItems.transferId, sql.placeholder('ids'))),
);
