import { and, eq, gt, isNull } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { isAmong, within } from '#db/dialect.ts';
import { type PushEvent, pushDevices, pushes } from '#db/schema/push.ts';
import { pendingRewardStates, rewards } from '#db/schema/reward.ts';
import { insertManyInto } from '#db/write.ts';
import { newId } from '#domain/kernel/id.ts';
import { isReminded, REMINDER_MS } from '#domain/kernel/reminder.ts';
import { careOf, mutedEventsIn } from '#domain/push/push-events.ts';

/** News for one account's devices. */
export interface PushToQueue {
  userId: string;
  event: PushEvent;
  rewardId: string;
  /** The reward, or the transfer of an offer: no device is told of it twice. */
  subjectId: string;
  /** Time to send it; at once if omitted. */
  runAtMs?: number;
  /** Time after which it is of no use. */
  endsAtMs?: number;
}

const insertPushes = insertManyInto(pushes, 'pushes', { passOverKnown: true });

/**
 * Queues news for all devices that want them, in the action's own transaction; what is sent later is queued for all, since
 * they may want it by then. Accounts without devices cost one read.
 */
export async function queuePushes(tx: Tx, queued: readonly PushToQueue[], nowMs: number): Promise<void> {
  const userIds = [...new Set(queued.map(({ userId }) => userId))];
  if (userIds.length === 0) return;
  const devices = await tx
    .select({
      id: pushDevices.id,
      userId: pushDevices.userId,
      host: pushDevices.host,
      muted: pushDevices.mutedEvents,
    })
    .from(pushDevices)
    .where(and(isAmong(pushDevices.userId, userIds), isNull(pushDevices.endedAtMs)));
  const rows = queued.flatMap(({ userId, event, rewardId, subjectId, runAtMs = nowMs, endsAtMs }) =>
    devices
      .filter(
        (device) =>
          device.userId === userId && (runAtMs > nowMs || !mutedEventsIn(device.muted).includes(event)),
      )
      .map(({ id: deviceId, host }) => ({
        id: newId(nowMs),
        deviceId,
        host,
        event,
        rewardId,
        subjectId,
        createdAtMs: nowMs,
        runAtMs,
        expiresAtMs: Math.min(endsAtMs ?? Number.POSITIVE_INFINITY, runAtMs + careOf[event].maxAgeMs),
      })),
  );
  if (rows.length > 0) await insertPushes(tx, rows);
}

/** Queues the reminders of an account's open promises for a device that it turned on since; the known ones are passed over. */
export async function queueOpenReminders(tx: Tx, userId: string, nowMs: number): Promise<void> {
  const open = await tx
    .select({ id: rewards.id, promisedAtMs: rewards.promisedAtMs, untilMs: rewards.claimUntilMs })
    .from(rewards)
    .where(
      and(
        eq(rewards.userId, userId),
        within(rewards.state, pendingRewardStates),
        gt(rewards.claimUntilMs, nowMs + REMINDER_MS),
      ),
    );
  const reminders = open.flatMap(({ id: rewardId, promisedAtMs, untilMs }): PushToQueue[] =>
    promisedAtMs !== null && untilMs !== null && isReminded(promisedAtMs, untilMs)
      ? [
          {
            ...{ userId, event: 'reminder', rewardId, subjectId: rewardId },
            ...{ runAtMs: untilMs - REMINDER_MS, endsAtMs: untilMs },
          },
        ]
      : [],
  );
  if (reminders.length > 0) await queuePushes(tx, reminders, nowMs);
}
