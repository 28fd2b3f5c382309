import { and, eq, isNull } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { type PushEvent, pushDevices } from '#db/schema/push.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { transfers } from '#db/schema/transfer.ts';
import { type Locale, users } from '#db/schema/user.ts';
import type { LeasedPush } from '#domain/push/lease-pushes.ts';
import { mutedEventsIn } from '#domain/push/push-events.ts';
import { findDuePromise, STANDSTILL_MS } from '#domain/view/due-promise.ts';

/** The content of a notice. A lock screen is read by others, so it has no names of people, channels or items. */
export interface PushFacts {
  event: PushEvent;
  rewardId: string;
  subjectId: string;
  locale: Locale;
  timeZone: string | null;
  /** End of the promise, while there is one. */
  untilMs: number | null;
}

/** A notice as it is to be sent now, or the reason why not. */
export type PreparedPush =
  | { due: true; facts: PushFacts }
  | { due: false; reason: 'muted' | 'outdated' }
  | { due: false; reason: 'later'; dueAtMs: number };

/** Checks before sending whether a notice is still wanted and true, and adds what its text needs. */
export async function preparePush(
  q: Reader,
  { event, rewardId, subjectId, expiresAtMs, deviceId, device }: LeasedPush,
  nowMs: number,
  systemMs: number,
): Promise<PreparedPush> {
  if (nowMs >= expiresAtMs && event !== 'promised' && event !== 'reminder')
    return { due: false, reason: 'outdated' };
  const [found] = await q
    .select({
      locale: users.locale,
      timeZone: users.timeZone,
      deletedAtMs: users.deletedAtMs,
      ownerId: rewards.userId,
      state: rewards.state,
      promisedAtMs: rewards.promisedAtMs,
      claimUntilMs: rewards.claimUntilMs,
      frozenAtMs: rules.frozenAtMs,
      mutedEvents: pushDevices.mutedEvents,
    })
    .from(rewards)
    .innerJoin(rules, eq(rules.id, rewards.ruleId))
    .innerJoin(pushDevices, eq(pushDevices.id, deviceId))
    .innerJoin(users, eq(users.id, pushDevices.userId))
    .where(
      and(
        eq(rewards.id, rewardId),
        eq(pushDevices.endpointHash, device.endpointHash),
        isNull(pushDevices.endedAtMs),
      ),
    );
  if (!found || found.deletedAtMs !== null || found.ownerId !== device.userId)
    return { due: false, reason: 'outdated' };
  if (mutedEventsIn(found.mutedEvents).includes(event)) return { due: false, reason: 'muted' };
  const { locale, timeZone } = found;
  const facts = { event, rewardId, subjectId, locale, timeZone, untilMs: null };
  if (event === 'delivered') return { due: true, facts };
  if (event === 'offerSent')
    return (await isOpen(q, subjectId)) ? { due: true, facts } : { due: false, reason: 'outdated' };
  // Being claimed, it may be open again before its end, if its offer fails.
  if (event === 'reminder' && found.state === 'reserved')
    return { due: false, reason: 'later', dueAtMs: nowMs + STANDSTILL_MS };
  const promise = await findDuePromise(q, found, event === 'reminder', nowMs, systemMs);
  if (!promise.due) return promise;
  // One that is being claimed needs no notice: its viewer knows.
  if (promise.untilMs === null) return { due: false, reason: 'outdated' };
  return { due: true, facts: { ...facts, untilMs: promise.untilMs } };
}

async function isOpen(q: Reader, transferId: string): Promise<boolean> {
  const [transfer] = await q
    .select({ state: transfers.state })
    .from(transfers)
    .where(eq(transfers.id, transferId));
  return transfer?.state === 'sent';
}
