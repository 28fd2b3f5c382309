import { and, eq } from 'drizzle-orm';
import { type Database, isUniqueViolation, type Tx } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import type { Asset } from '#db/schema/asset.ts';
import { items } from '#db/schema/item.ts';
import { liveTransferStates, transfers } from '#db/schema/transfer.ts';
import { listUsedBots } from '#domain/bot/list-used-bots.ts';
import { depositBudget, stackPlaces } from '#domain/budget/budgets.ts';
import { countAttemptIn, countManyIn } from '#domain/identity/access/attempts.ts';
import { type TradingPartner, tradingPartner } from '#domain/identity/steam/trading-partner.ts';
import { newId } from '#domain/kernel/id.ts';
import { depositsLock } from '#domain/kernel/locks.ts';
import { done, type Outcome, Refused, refusable, refuse } from '#domain/kernel/outcome.ts';
import { hour } from '#domain/kernel/time.ts';
import { findTransferOf } from '#domain/transfer/find-transfer.ts';
import { contentsOf } from '#domain/transfer/game-room.ts';
import { placeStacks } from '#domain/transfer/place-stacks.ts';
import { queueTransfer } from '#domain/transfer/queue-transfer.ts';
import { listTakingBots, spreadDeposit } from '#domain/transfer/spread-deposit.ts';
import { classKeyOf } from '#domain/transfer/stack-room.ts';

/** Maximum number of items in one deposit, which is sent as several offers if need be. */
export const MAX_ITEMS_PER_DEPOSIT = 5000;

export type DepositRefusal =
  | 'nothingPicked'
  | 'tooManyItems'
  | 'steamNotLinked'
  | 'tradeLinkMissing'
  | 'noBotAvailable'
  | 'botsFull'
  | 'noStackRoom'
  | 'stackPlacesTooOften'
  | 'tooManyDeposits'
  | 'depositsTooOften'
  | 'assetBusy';

interface Request {
  requestId: string;
  userId: string;
  assets: readonly Asset[];
}

/**
 * Queues offers that request these assets from the streamer and give nothing: one, or a batch of several that
 * are sent one after another as earlier ones are accepted. Each is for the bot with the most room; it waits
 * until it is sent, and takes up that room only then. A stack, or a single piece beside a stack of its class, is asked for
 * in an offer without others and takes its place at once, because a bot has one of its class at most. The account's
 * deposits under way and per hour are limited (`depositBudget`), and how often it takes places of stacks (`stackPlaces`). A repeated `requestId` returns the first result. The caller has read the assets
 * from the inventory; we own nothing until Steam reports an offer as accepted.
 */
export async function requestDeposit(
  db: Database,
  request: Request,
  nowMs: number,
  systemMs: number,
): Promise<Outcome<{ transferId: string }, DepositRefusal>> {
  type Answer = Outcome<{ transferId: string }, DepositRefusal>;
  const { requestId, userId, assets } = request;
  if (assets.length === 0) return refuse('nothingPicked');
  if (assets.length > MAX_ITEMS_PER_DEPOSIT) return refuse('tooManyItems');
  if (await findTransferOf(db.read, requestId, userId)) return done({ transferId: requestId });
  try {
    return await refusable<Answer, DepositRefusal>(() =>
      db.transaction(
        async (tx) => {
          const link = await tradingPartner(tx, userId);
          if (!link.ok) return link;
          const excess = await findExcess(tx, userId, systemMs);
          if (excess) return refuse(excess);
          await queueDeposit(tx, { ...request, partner: link.partner }, { nowMs, systemMs });
          return done({ transferId: requestId });
        },
        { lock: depositsLock },
      ),
    );
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    if (await findTransferOf(db.read, requestId, userId)) return done({ transferId: requestId });
    return refuse('assetBusy');
  }
}

/** Throws a refusal unless bots that are ready could hold all. */
async function queueDeposit(
  tx: Tx,
  { requestId, userId, assets, partner }: Request & { partner: TradingPartner },
  { nowMs, systemMs }: { nowMs: number; systemMs: number },
): Promise<void> {
  const takingBots = await listTakingBots(tx, systemMs);
  if (takingBots.length === 0) throw new Refused<DepositRefusal>('noBotAvailable');
  const stacks = await placeStacks(tx, assets, takingBots);
  if (!stacks.ok) throw new Refused<DepositRefusal>(stacks.code);
  const placed = stacks.offers.flatMap((offer) => offer.assets);
  // A bot that is offline for a while makes nobody's share smaller.
  const bots = Math.max(takingBots.length, (await listUsedBots(tx)).length);
  if (await takesPlacesTooOften(tx, { userId, placed, bots }, systemMs))
    throw new Refused<DepositRefusal>('stackPlacesTooOften');
  const whole = contentsOf(stacks.others);
  const parts = spreadDeposit(whole, stacks.roomBeside);
  if (!parts) throw new Refused<DepositRefusal>('botsFull');
  const ofGame = (appId: number) => stacks.others.filter((asset) => asset.appId === appId);
  const left = new Map([...whole.keys()].map((appId) => [appId, ofGame(appId)]));
  const spread = parts.map(({ botId, contents }) => ({
    botId,
    assets: [...contents].flatMap(([appId, n]) => left.get(appId)?.splice(0, n) ?? []),
  }));
  const offers = [...spread, ...stacks.offers];
  const batch = offers.length > 1 ? { batchId: requestId } : {};
  for (const [nth, offer] of offers.entries()) {
    const id = nth === 0 ? requestId : newId(nowMs);
    await queueTransfer(tx, { id, kind: 'deposit', userId, partner, ...offer, ...batch }, nowMs);
  }
}

/**
 * Returns the part of the account's budget that this deposit would exceed. Counts the request unless it is
 * refused.
 */
async function findExcess(
  tx: Tx,
  userId: string,
  systemMs: number,
): Promise<'tooManyDeposits' | 'depositsTooOften' | null> {
  const accepted = await tx.select({ id: items.id }).from(items).where(eq(items.ownerId, userId)).limit(1);
  const { atOnce, anHour } = depositBudget(accepted.length > 0);
  if ((await countDeposits(tx, userId)) >= atOnce) return 'tooManyDeposits';
  const limit = { key: `deposits:${userId}`, max: anHour, windowMs: hour };
  const { waitMs } = await countAttemptIn(tx, limit, systemMs);
  return waitMs > 0 ? 'depositsTooOften' : null;
}

/** Counts the places of stacks that the account takes with these assets; true if one of them is more than its share. */
async function takesPlacesTooOften(
  tx: Tx,
  { userId, placed, bots }: { userId: string; placed: readonly Asset[]; bots: number },
  systemMs: number,
): Promise<boolean> {
  const { ofEachBot, windowMs } = stackPlaces;
  const counts = new Map<string, number>();
  for (const asset of placed) {
    const key = `stacks:${userId}:${classKeyOf(asset)}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return countManyIn(tx, { counts, max: ofEachBot * bots, windowMs }, systemMs);
}

/** Counts an account's deposits under way. */
async function countDeposits(tx: Tx, userId: string): Promise<number> {
  const live = await tx
    .select({ id: transfers.id, batchId: transfers.batchId })
    .from(transfers)
    .where(
      and(
        eq(transfers.userId, userId),
        within(transfers.state, liveTransferStates),
        is(transfers.kind, 'deposit'),
      ),
    );
  return new Set(live.map(({ id, batchId }) => batchId ?? id)).size;
}
