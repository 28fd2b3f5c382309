import { type AnyColumn, and, asc, eq, isNull, lte, max, or, type SQL, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import { bots } from '#db/schema/bot.ts';
import { custodyDrifts } from '#db/schema/custody-drift.ts';
import { items, ledgerEntries } from '#db/schema/item.ts';
import {
  openOfferStates,
  type TransferState,
  transferItems,
  transferSteps,
  transfers,
} from '#db/schema/transfer.ts';
import { unknownAssets } from '#db/schema/unknown-asset.ts';
import { marketNameIn } from '#domain/item/market-name.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';
import type { TransferConcern } from '#domain/outbox/queue-mail.ts';
import { underWay } from '#domain/transfer/under-way.ts';

/** An asset that belongs to nobody gets this long to be recognized before it concerns the operator. */
export const PATIENCE_MS = hour;
/** The bot gets this long to resolve a transfer by itself, so that the operator is told within an hour. */
export const TRANSFER_PATIENCE_MS = 50 * minute;
/** Steam holds items of an account without a mobile authenticator for 15 days. */
const LONGEST_ESCROW_MS = 16 * day;
/** Steam's own end of protection may be later than the one we expect. */
const SETTLEMENT_GRACE_MS = day;
/** At most this many per bot and section are listed; the rest are only counted. */
export const MAX_LISTED = 100;

export interface CustodyConcerns {
  drifts: { itemId: string; holder: string; rebuilt: string | null; sinceMs: number }[];
  unknownAssets: { appId: number; assetId: string; marketHashName: string; sinceMs: number }[];
  missingItems: {
    itemId: string;
    ownerId: string;
    appId: number;
    assetId: string;
    marketHashName: string;
    sinceMs: number;
  }[];
  transfers: {
    transferId: string;
    kind: (typeof transfers.$inferSelect)['kind'];
    concern: TransferConcern;
    userId: string;
    partnerSteamId: string;
    securityCode: string;
    offerId: string | null;
    sinceMs: number;
    items: { name: string; assetId: string }[];
  }[];
}

export interface CustodyCounts {
  /** Items whose holder the ledger does not lead to. */
  drifts: number;
  unknownAssets: number;
  missingItems: number;
  /** The result of sending is unknown. */
  doubtfulTransfers: number;
  /** Any other transfer whose next step is overdue. */
  stuckTransfers: number;
}

/** Returns each bot's unknown assets, missing items and transfers that the bot has not resolved in time, by bot. */
export async function listConcerns(q: Reader, nowMs: number): Promise<Map<string, CustodyConcerns>> {
  const listed = new Map<string, CustodyConcerns>();
  for (const { botId } of await q.select({ botId: bots.id }).from(bots).orderBy(asc(bots.id)))
    listed.set(botId, {
      drifts: await driftsOf(q, botId),
      unknownAssets: await unknownOf(q, botId, nowMs),
      missingItems: await missingOf(q, botId),
      transfers: await overdueOf(q, botId, nowMs),
    });
  return listed;
}

/** Counts what `listConcerns` lists, by bot. */
export async function countConcerns(q: Reader, nowMs: number): Promise<Record<string, CustodyCounts>> {
  const counts: Record<string, CustodyCounts> = {};
  for (const { botId } of await q.select({ botId: bots.id }).from(bots)) {
    const overdue = await overdueOf(q, botId, nowMs);
    const doubtful = overdue.filter(({ concern }) => concern === 'sendingUnknown').length;
    counts[botId] = {
      drifts: (await driftsOf(q, botId)).length,
      unknownAssets: await q.$count(unknownAssets, unknownFor(botId, nowMs)),
      missingItems: await q.$count(items, missingFrom(botId)),
      doubtfulTransfers: doubtful,
      stuckTransfers: overdue.length - doubtful,
    };
  }
  return counts;
}

export const unknownFor = (botId: string, nowMs: number): SQL | undefined =>
  and(
    eq(unknownAssets.botId, botId),
    isNull(unknownAssets.setAsideAtMs),
    lte(unknownAssets.firstSeenAtMs, nowMs - PATIENCE_MS),
  );

const unknownOf = (q: Reader, botId: string, nowMs: number) =>
  q
    .select({
      appId: unknownAssets.appId,
      assetId: unknownAssets.assetId,
      marketHashName: marketNameIn(unknownAssets),
      sinceMs: unknownAssets.firstSeenAtMs,
    })
    .from(unknownAssets)
    .where(unknownFor(botId, nowMs))
    .orderBy(asc(unknownAssets.appId), asc(unknownAssets.assetId))
    .limit(MAX_LISTED);

/**
 * Reads everything that no operator has resolved yet, of every bot: there is little of it, while a join may
 * start from all items that the bot has ever had.
 */
const driftsOf = (q: Reader, botId: string) =>
  q
    .select({
      itemId: custodyDrifts.itemId,
      holder: custodyDrifts.holder,
      rebuilt: custodyDrifts.rebuilt,
      sinceMs: custodyDrifts.foundAtMs,
    })
    .from(custodyDrifts)
    .where(eq(q.select({ botId: items.botId }).from(items).where(eq(items.id, custodyDrifts.itemId)), botId))
    .orderBy(asc(custodyDrifts.itemId))
    .limit(MAX_LISTED);

export const missingFrom = (botId: string): SQL | undefined =>
  and(eq(items.botId, botId), is(items.state, 'missing'));

const missingOf = (q: Reader, botId: string) =>
  q
    .select({
      itemId: items.id,
      ownerId: items.ownerId,
      appId: items.appId,
      assetId: items.assetId,
      marketHashName: marketNameIn(items),
      sinceMs: max(ledgerEntries.atMs).mapWith(Number).as('since'),
    })
    .from(items)
    .innerJoin(ledgerEntries, eq(ledgerEntries.itemId, items.id))
    .where(missingFrom(botId))
    .groupBy(items.id)
    .orderBy(asc(items.id))
    .limit(MAX_LISTED);

async function overdueOf(q: Reader, botId: string, nowMs: number): Promise<CustodyConcerns['transfers']> {
  const movedAtMs = sql<number>`(${q
    .select({ atMs: max(transferSteps.atMs) })
    .from(transferSteps)
    .where(eq(transferSteps.transferId, transfers.id))})`.mapWith(Number);
  const isUnclear = lte(transfers.unclearSinceMs, nowMs - TRANSFER_PATIENCE_MS);
  const factsOf = (where: SQL | undefined, order: AnyColumn) =>
    q
      .select({
        transferId: transfers.id,
        kind: transfers.kind,
        state: transfers.state,
        userId: transfers.userId,
        partnerSteamId: transfers.partnerSteamId,
        securityCode: transfers.securityCode,
        offerId: transfers.offerId,
        tradeId: transfers.tradeId,
        unclear: transfers.unclear,
        sinceMs: sql<number>`coalesce(${transfers.unclearSinceMs}, ${movedAtMs})`.mapWith(Number),
      })
      .from(transfers)
      .where(and(eq(transfers.botId, botId), where))
      .orderBy(asc(order))
      .limit(MAX_LISTED);
  // Those that are being sent again are unclear only if that gets no answer either.
  const hasOffer = within(transfers.state, ['uncertain', 'unconfirmed', 'sent', 'escrowed']);
  const waits = or(and(isUnclear, hasOffer), isOverdue(movedAtMs, nowMs));
  const waiting = await factsOf(and(underWay(openOfferStates), waits), transfers.id);
  const isAccepted = is(transfers.state, 'accepted');
  const unclear = await factsOf(and(isAccepted, isUnclear), transfers.unclearSinceMs);
  const isUnsettled = lte(transfers.settlesAtMs, nowMs - SETTLEMENT_GRACE_MS);
  const unsettled = await factsOf(and(isAccepted, isUnsettled), transfers.settlesAtMs);
  const ids = new Set(unclear.map(({ transferId }) => transferId));
  const others = unsettled.filter(({ transferId }) => !ids.has(transferId));
  const concerned: CustodyConcerns['transfers'] = [];
  for (const { state, tradeId, unclear: concern, ...transfer } of [...waiting, ...unclear, ...others])
    concerned.push({
      ...transfer,
      concern: concern ?? concernIn(state, tradeId),
      items: await itemsIn(q, transfer.transferId),
    });
  return concerned;
}

/** Returns whether a transfer under way has stayed as it is for too long, whatever Steam says of it. */
function isOverdue(movedAtMs: SQL, nowMs: number): SQL | undefined {
  const isLate = lte(movedAtMs, nowMs - TRANSFER_PATIENCE_MS);
  const isEscrowed = is(transfers.state, 'escrowed');
  return or(
    and(within(transfers.state, ['sending', 'uncertain', 'unconfirmed']), isLate),
    and(is(transfers.state, 'sent'), lte(transfers.cancelAtMs, nowMs - TRANSFER_PATIENCE_MS)),
    and(isEscrowed, lte(movedAtMs, nowMs - LONGEST_ESCROW_MS)),
    and(isEscrowed, isNull(transfers.tradeId), isLate),
  );
}

const concernIn = (state: TransferState, tradeId: string | null): TransferConcern =>
  state === 'escrowed' && tradeId === null ? 'tradeUnknown' : (concernOf[state] ?? 'overdue');

const concernOf: Partial<Record<TransferState, TransferConcern>> = {
  sending: 'sendingUnknown',
  uncertain: 'sendingUnknown',
  unconfirmed: 'unconfirmed',
  sent: 'overdue',
  escrowed: 'escrowed',
  accepted: 'unsettled',
};

const itemsIn = (q: Reader, transferId: string) =>
  q
    .select({ name: marketNameIn(transferItems), assetId: transferItems.assetId })
    .from(transferItems)
    .where(eq(transferItems.transferId, transferId))
    .orderBy(asc(transferItems.assetId));
