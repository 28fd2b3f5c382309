import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import { rewards, type StopReason } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { liveTransferStates, transfers } from '#db/schema/transfer.ts';
import { type ChannelTx, channelLock } from '#domain/kernel/locks.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { announce } from '#domain/outbox/announce.ts';
import { endStoppedClaim } from '#domain/reward/end-stopped-claim.ts';
import { withdrawTransfer } from '#domain/transfer/withdraw-transfer.ts';

/** The reason in a transfer's timeline: the owner of the rule stopped its claim. */
const CLAIM_STOPPED = 'claimStopped';

export type StopRefusal = 'notFound' | 'claimAccepted' | 'claimEnded';

/**
 * Stops a viewer's promise, claimed or not, for the owner of its rule, until its offer is accepted. If the
 * offer may already be on Steam, the bot is asked to cancel it there (`stopped` is false then), and Steam's
 * answer decides: an acceptance that came first stands. It needs no fresh proof of identity, because it keeps
 * items from leaving; but the viewer is notified and the stop is counted in public for good. Repeating it
 * changes nothing, not even the reason.
 */
export async function stopClaim(
  db: Database,
  asked: { rewardId: string; ownerId: string; reason: StopReason },
  nowMs: number,
): Promise<Outcome<{ stopped: boolean }, StopRefusal>> {
  const { rewardId, ownerId } = asked;
  const [place] = await db.read
    .select({ channelId: rules.channelId })
    .from(rewards)
    .innerJoin(rules, eq(rules.id, rewards.ruleId))
    .where(and(eq(rewards.id, rewardId), eq(rules.ownerId, ownerId)));
  if (!place) return refuse('notFound');
  return db.transaction((tx) => stop(tx, asked, nowMs), { lock: channelLock(place.channelId) });
}

type Asked = { rewardId: string; ownerId: string; reason: StopReason };

async function stop(
  tx: ChannelTx,
  asked: Asked,
  nowMs: number,
): Promise<Outcome<{ stopped: boolean }, StopRefusal>> {
  const { rewardId, reason } = asked;
  const before = await readReward(tx, rewardId);
  if (!before) return refuse('notFound');
  if (before.stopReason !== null && before.state !== 'claimed')
    return done({ stopped: before.state === 'recalled' });
  if (before.state === 'promised') {
    const patch = { stopReason: reason, stopAskedAtMs: nowMs };
    if (await endStoppedClaim(tx, rewardId, 'stopped', patch, nowMs)) return done({ stopped: true });
  }
  // The viewer may have claimed it since it was read, because a claim does not wait for the channel's lock.
  const now = await readReward(tx, rewardId);
  if (now?.state === 'reserved') return withdraw(tx, asked, nowMs);
  return refuse(now?.state === 'claimed' ? 'claimAccepted' : 'claimEnded');
}

const readReward = async (tx: ChannelTx, rewardId: string) =>
  (
    await tx
      .select({ state: rewards.state, stopReason: rewards.stopReason, userId: rewards.userId })
      .from(rewards)
      .where(eq(rewards.id, rewardId))
  )[0];

/** The end of the claim's transfer ends the promise too, once the reason is stored: see `rewardUndelivered`. */
async function withdraw(
  tx: ChannelTx,
  { rewardId, ownerId, reason }: Asked,
  nowMs: number,
): Promise<Outcome<{ stopped: boolean }, StopRefusal>> {
  const [claim] = await tx
    .select({ id: transfers.id, userId: transfers.userId, state: transfers.state })
    .from(transfers)
    .where(and(eq(transfers.rewardId, rewardId), within(transfers.state, liveTransferStates)));
  // Both sides have agreed, and Steam holds the item for a while.
  if (!claim || claim.state === 'escrowed') return refuse('claimAccepted');
  await tx.update(rewards).set({ stopReason: reason, stopAskedAtMs: nowMs }).where(eq(rewards.id, rewardId));
  const taken = await withdrawTransfer(tx, claim.id, { reason: CLAIM_STOPPED }, nowMs);
  if (taken === 'tooLate') throw new Error(`the claim ${claim.id} ended while its channel was locked`);
  if (taken === 'withdrawn') return done({ stopped: true });
  await announce(
    tx,
    [ownerId, claim.userId].map((userId) => ({ userId, kind: 'reward.changed', subjectId: rewardId })),
    nowMs,
  );
  return done({ stopped: false });
}
