import { and, eq, max, sql } from 'drizzle-orm';
import { type Database, holdLock, isUniqueViolation, type Tx } from '#db/database.ts';
import { steamAccounts } from '#db/schema/account.ts';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { transfers } from '#db/schema/transfer.ts';
import { statement } from '#db/statement.ts';
import { getOutageMs } from '#domain/bot/get-outage.ts';
import { listClaimPauses } from '#domain/claim/claim-pause.ts';
import { partnerColumns, partnerOf } from '#domain/identity/steam/trading-partner.ts';
import { advanceLoadedItem } from '#domain/item/advance-item.ts';
import { newId } from '#domain/kernel/id.ts';
import { claimsLock } from '#domain/kernel/locks.ts';
import { done, type Outcome, Refused, refusable, refuse } from '#domain/kernel/outcome.ts';
import { limitsOf } from '#domain/plan/limits-of.ts';
import { countClaims } from '#domain/plan/usage-counts.ts';
import { advanceLoadedReward } from '#domain/reward/advance-reward.ts';
import { hasTimedOut, sendsFrom } from '#domain/reward/claim-window.ts';
import { queueTransfer } from '#domain/transfer/queue-transfer.ts';

interface Claim {
  rewardId: string;
  userId: string;
  /**
   * Returns the security code of the offer from the reward's latest transfer; a random code is used if
   * omitted.
   */
  codeAfter?: (lastTransferId: string | null) => string;
}

export type ClaimRefusal =
  | 'notFound'
  | 'timedOut'
  | 'alreadyClaimed'
  | 'steamNotLinked'
  | 'tradeLinkMissing'
  | 'claimLimit'
  | 'itemUnavailable'
  | 'claimPaused'
  /** The rule is frozen until its owner confirms that it is theirs. */
  | 'claimFrozen'
  | 'steamIdUsed';

const readClaimable = statement('claimable', (tx) =>
  tx
    .select({
      reward: {
        id: rewards.id,
        state: rewards.state,
        userId: rewards.userId,
        ownerId: rules.ownerId,
        promisedAtMs: rewards.promisedAtMs,
        sendDelayHours: rules.sendDelayHours,
        frozenAtMs: rules.frozenAtMs,
        claimUntilMs: rewards.claimUntilMs,
        unmetCondition: rewards.unmetCondition,
      },
      item: { id: items.id, state: items.state, botId: items.botId },
      lastTransferId: sql<string | null>`(${tx
        .select({ id: max(transfers.id) })
        .from(transfers)
        .where(eq(transfers.rewardId, rewards.id))})`,
      steam: partnerColumns,
    })
    .from(rewards)
    .innerJoin(rules, eq(rules.id, rewards.ruleId))
    .innerJoin(items, eq(items.id, rewards.itemId))
    .leftJoin(steamAccounts, eq(steamAccounts.userId, rewards.userId))
    .where(and(eq(rewards.id, sql.placeholder('rewardId')), eq(rewards.userId, sql.placeholder('userId')))),
);

/**
 * Reserves a promised reward and queues the transfer of exactly its item, in one transaction. Claiming twice
 * returns the same result. Each rule allows one claim per SteamID64. The claim window does not expire while
 * no bot sends heartbeats. A viewer who keeps cancelling offers waits longer each time.
 */
export async function claimReward(
  db: Database,
  claim: Claim,
  nowMs: number,
  systemMs: number = Date.now(),
): Promise<Outcome<{ rewardId: string }, ClaimRefusal>> {
  type Answer = Outcome<{ rewardId: string }, ClaimRefusal>;
  try {
    return await refusable<Answer, ClaimRefusal>(() =>
      db.transaction((tx) => reserveAndQueue(tx, claim, { nowMs, systemMs })),
    );
  } catch (error) {
    if (isUniqueViolation(error)) return refuse('steamIdUsed');
    throw error;
  }
}

async function reserveAndQueue(
  tx: Tx,
  { rewardId, userId, codeAfter }: Claim,
  { nowMs, systemMs }: { nowMs: number; systemMs: number },
): Promise<Outcome<{ rewardId: string }, ClaimRefusal>> {
  const limits = await limitsOf(tx, userId, nowMs);
  const { claimsPerMonth } = limits;
  // Held before the reward is read, so that a second click sees the effect of the first.
  if (claimsPerMonth !== null) await holdLock(tx, claimsLock(userId));
  const [claimable] = await readClaimable(tx, { rewardId, userId });
  if (!claimable) return refuse('notFound');
  const { reward, item, steam, lastTransferId } = claimable;
  if (reward.state === 'reserved') return done({ rewardId });
  if (reward.state === 'claimed') return refuse('alreadyClaimed');
  const claimUntilMs = reward.claimUntilMs ?? 0;
  if (reward.state !== 'promised') return refuse('timedOut');
  if (reward.frozenAtMs !== null) return refuse('claimFrozen');
  if (nowMs >= claimUntilMs && hasTimedOut(claimUntilMs, nowMs, await getOutageMs(tx, systemMs)))
    return refuse('timedOut');
  const link = partnerOf(steam);
  if (!link.ok) return link;
  if (lastTransferId !== null && (await isPaused(tx, rewardId, nowMs))) return refuse('claimPaused');
  if (claimsPerMonth !== null && (await countClaims(tx, userId, limits.claimsMonth)) >= claimsPerMonth)
    return refuse('claimLimit');

  const { partner } = link;
  const transferId = newId(nowMs);
  const claimed = {
    steamId: partner.steamId,
    ...(reward.unmetCondition !== null && { unmetCondition: null }),
  };
  const announced = await advanceLoadedReward(tx, reward, 'claimStarted', claimed);
  if (!announced) return answerAfterAnother(tx, { rewardId, userId });
  const { id: itemId, botId } = item;
  const intent = {
    id: transferId,
    kind: 'claim',
    userId,
    botId,
    rewardId,
    ruleOwnerId: reward.ownerId,
    partner,
    itemIds: [itemId],
    securityCode: codeAfter?.(lastTransferId),
  } as const;
  const sendsFromMs = sendsFrom(reward, reward.promisedAtMs ?? nowMs);
  await queueTransfer(tx, { ...intent, cancelNotBeforeMs: claimUntilMs, sendsFromMs }, nowMs, announced);
  const step = { event: 'offered', cause: 'claim', transferId } as const;
  if (!(await advanceLoadedItem(tx, item, step, nowMs))) throw new Refused<ClaimRefusal>('itemUnavailable');
  return done({ rewardId });
}

/** Returns whether the viewer has cancelled or declined too many offers of it to claim it now. */
const isPaused = async (tx: Tx, rewardId: string, nowMs: number): Promise<boolean> =>
  nowMs < ((await listClaimPauses(tx, [rewardId])).get(rewardId) ?? 0);

/** Another transaction moved the reward after it was read. A duplicate click gets the first click's result. */
async function answerAfterAnother(
  tx: Tx,
  { rewardId, userId }: { rewardId: string; userId: string },
): Promise<Outcome<{ rewardId: string }, ClaimRefusal>> {
  const [now] = await readClaimable(tx, { rewardId, userId });
  return now?.reward.state === 'reserved' ? done({ rewardId }) : refuse('timedOut');
}
