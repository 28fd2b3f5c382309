import { and, asc, eq, isNull, lte, max, or, type SQL, sql } from 'drizzle-orm';
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
const MAX_LISTED = 100;

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
      marketHashName: unknownAssets.marketHashName,
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
      marketHashName: items.marketHashName,
      sinceMs: max(ledgerEntries.atMs).mapWith(Number).as('since'),
    })
    .from(items)
    .innerJoin(ledgerEntries, eq(ledgerEntries.itemId, items.id))
    .where(missingFrom(botId))
    .groupBy(items.id)
    .orderBy(asc(items.id))
    .limit(MAX_LISTED);

async function overdueOf(q: Reader, botId: string, nowMs: number): Promise<CustodyConcerns['transfers']> {
  const sinceMs = sql<number>`(${q
    .select({ atMs: max(transferSteps.atMs) })
    .from(transferSteps)
    .where(eq(transferSteps.transferId, transfers.id))})`.mapWith(Number);
  const facts = {
    transferId: transfers.id,
    kind: transfers.kind,
    state: transfers.state,
    userId: transfers.userId,
    partnerSteamId: transfers.partnerSteamId,
    securityCode: transfers.securityCode,
    offerId: transfers.offerId,
    tradeId: transfers.tradeId,
    sinceMs,
  };
  const waiting = await q
    .select(facts)
    .from(transfers)
    .where(
      and(
        eq(transfers.botId, botId),
        underWay(openOfferStates),
        or(
          and(
            within(transfers.state, ['sending', 'uncertain', 'unconfirmed']),
            lte(sinceMs, nowMs - TRANSFER_PATIENCE_MS),
          ),
          and(is(transfers.state, 'sent'), lte(transfers.cancelAtMs, nowMs - TRANSFER_PATIENCE_MS)),
          and(is(transfers.state, 'escrowed'), lte(sinceMs, nowMs - LONGEST_ESCROW_MS)),
          and(
            is(transfers.state, 'escrowed'),
            isNull(transfers.tradeId),
            lte(sinceMs, nowMs - TRANSFER_PATIENCE_MS),
          ),
        ),
      ),
    )
    .orderBy(asc(transfers.id))
    .limit(MAX_LISTED);
  const unsettled = await q
    .select(facts)
    .from(transfers)
    .where(
      and(
        eq(transfers.botId, botId),
        is(transfers.state, 'accepted'),
        lte(transfers.settlesAtMs, nowMs - SETTLEMENT_GRACE_MS),
      ),
    )
    .orderBy(asc(transfers.settlesAtMs))
    .limit(MAX_LISTED);
  const concerned: CustodyConcerns['transfers'] = [];
  for (const { state, tradeId, ...transfer } of [...waiting, ...unsettled])
    concerned.push({
      ...transfer,
      concern:
        state === 'escrowed' && tradeId === null
          ? 'tradeUnknown'
          : (concernOf[state as TransferState] ?? 'overdue'),
      items: await itemsIn(q, transfer.transferId),
    });
  return concerned;
}

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
    .select({ name: transferItems.marketHashName, assetId: transferItems.assetId })
    .from(transferItems)
    .where(eq(transferItems.transferId, transferId))
    .orderBy(asc(transferItems.assetId));
