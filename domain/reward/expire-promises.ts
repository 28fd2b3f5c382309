import { and, asc, eq, isNull, lte } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import { bots } from '#db/schema/bot.ts';
import { items } from '#db/schema/item.ts';
import { pendingRewardStates, rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { findSendingStop } from '#domain/bot/find-sending-stop.ts';
import { isAlive } from '#domain/bot/record-heartbeat.ts';
import { channelLock } from '#domain/kernel/locks.ts';
import { day } from '#domain/kernel/time.ts';
import { announce } from '#domain/outbox/announce.ts';
import { advanceReward } from '#domain/reward/advance-reward.ts';
import { extendClaimWindow } from '#domain/reward/extend-claim-window.ts';
import { extendClaimWindows } from '#domain/reward/extend-claim-windows.ts';
import { reofferItem } from './reoffer-item.ts';

/**
 * Recalls promises whose claim window has passed and offers their items again. Does nothing while no bot
 * sends heartbeats or the operator has stopped sending: once either has ended, the windows are extended
 * first. A missing item cannot be claimed, so its promise is kept, a day at a time, until the item is found
 * or the operator writes it off. Promises of frozen rules stay. Returns how many ended.
 */
export async function expirePromises(db: Database, nowMs: number, systemMs: number): Promise<number> {
  const [alive] = await db.read.select({ id: bots.id }).from(bots).where(isAlive(systemMs)).limit(1);
  if (!alive || (await findSendingStop(db.read))) return 0;
  // Read after the outages, so that one which ended meanwhile is included.
  await extendClaimWindows(db, nowMs);
  const due = await db.read
    .select({ id: rewards.id, channelId: rules.channelId })
    .from(rewards)
    .innerJoin(rules, eq(rules.id, rewards.ruleId))
    .where(
      and(
        within(rewards.state, pendingRewardStates),
        is(rewards.state, 'promised'),
        lte(rewards.claimUntilMs, nowMs),
        isNull(rules.frozenAtMs),
      ),
    )
    .orderBy(asc(rewards.claimUntilMs))
    .limit(200);
  let ended = 0;
  for (const { id, channelId } of due) if (await expirePromise(db, { id, channelId }, nowMs)) ended++;
  return ended;
}

/** Checks again under the lock: the window may have been extended or the reward claimed since it was listed. */
async function expirePromise(
  db: Database,
  { id, channelId }: { id: string; channelId: string },
  nowMs: number,
): Promise<boolean> {
  return db.transaction(
    async (tx) => {
      const [still] = await tx
        .select({
          itemState: items.state,
          claimUntilMs: rewards.claimUntilMs,
          viewerId: rewards.userId,
          ownerId: rules.ownerId,
        })
        .from(rewards)
        .innerJoin(items, eq(items.id, rewards.itemId))
        .innerJoin(rules, eq(rules.id, rewards.ruleId))
        .where(
          and(
            eq(rewards.id, id),
            is(rewards.state, 'promised'),
            lte(rewards.claimUntilMs, nowMs),
            isNull(rules.frozenAtMs),
          ),
        );
      if (!still) return false;
      if (still.itemState === 'missing') {
        await extendClaimWindow(tx, id, nowMs + day - Number(still.claimUntilMs));
        const readers = new Set([still.ownerId, ...(still.viewerId ? [still.viewerId] : [])]);
        const changed = [...readers].map((userId) => ({
          userId,
          kind: 'reward.changed' as const,
          subjectId: id,
        }));
        await announce(tx, changed, nowMs);
        return false;
      }
      const recalled = await advanceReward(tx, id, 'timedOut', { recallReason: 'timedOut' }, nowMs);
      if (!recalled) return false;
      await reofferItem(tx, recalled, nowMs);
      return true;
    },
    { lock: channelLock(channelId) },
  );
}
