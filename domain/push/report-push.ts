import { and, eq, inArray, isNull, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { type PushEnding, type PushOutcome, pushDevices, pushes } from '#db/schema/push.ts';
import { hour, minute, second } from '#domain/kernel/time.ts';
import type { LeasedPush } from '#domain/push/lease-pushes.ts';

/**
 * The result of one attempt.
 * - `sent`: the push service took it (201).
 * - `ended`: nothing can ever be sent to this endpoint again: it is gone (404, 410), was made with another key, or its
 *   address may not be called.
 * - `refused`: this notice will never be taken (413, another 4xx).
 * - `later`: it may be taken later (429, 5xx, no answer, and 401 or 403, which a wrong clock brings about too);
 *   `afterMs` is what the push service asked for; `isOfOne` if it says nothing about other devices, and `isOfAll` if it
 *   asks for fewer notices of all.
 * - `dropped`: nobody needs it any more. `putOff`: it is due later, which is no failure.
 */
export type PushResult =
  | { kind: 'sent' }
  | { kind: 'ended'; ending: PushEnding; error: string }
  | { kind: 'refused'; error: string }
  | { kind: 'later'; error: string; afterMs?: number; isOfOne?: true; isOfAll?: true }
  | { kind: 'dropped'; error: string }
  | { kind: 'putOff'; dueAtMs: number };

/** After this many attempts a notice is given up. */
export const MAX_PUSH_ATTEMPTS = 6;
const PAUSES_MS = [30 * second, 2 * minute, 8 * minute, 30 * minute, 2 * hour] as const;
/** No push service may put a notice off for longer. */
export const LONGEST_PAUSE_MS = 6 * hour;

/** The pause before the next attempt: never shorter than asked for, and up to a quarter longer, so that not all come back at once. */
export function pauseBefore(attempts: number, afterMs: number, random: number): number {
  const own = PAUSES_MS[Math.min(attempts, PAUSES_MS.length) - 1] ?? PAUSES_MS[0];
  return Math.round(Math.min(LONGEST_PAUSE_MS, Math.max(own, afterMs)) * (1 + random / 4));
}

type Patch = Partial<typeof pushes.$inferInsert>;

const ended = (outcome: PushOutcome, nowMs: number, lastError: string | null = null) => ({
  endedAtMs: nowMs,
  outcome,
  lastError,
  leaseUntilMs: 0,
});

function patchOf(
  push: LeasedPush,
  result: Exclude<PushResult, { kind: 'sent' }>,
  nowMs: number,
  random: number,
): Patch {
  const attempts = push.attempts + 1;
  switch (result.kind) {
    case 'ended':
    case 'refused':
      return { ...ended('refused', nowMs, result.error), attempts };
    case 'dropped':
      return ended('dropped', nowMs, result.error);
    case 'putOff':
      return { runAtMs: result.dueAtMs, leaseUntilMs: 0 };
    case 'later': {
      const runAtMs = nowMs + pauseBefore(attempts, result.afterMs ?? 0, random);
      // The end of a promise can move: whether one is still open is asked before each attempt.
      const hasFixedEnd = push.event === 'offerSent' || push.event === 'delivered';
      if (attempts >= MAX_PUSH_ATTEMPTS || (hasFixedEnd && runAtMs >= push.expiresAtMs))
        return { ...ended('givenUp', nowMs, result.error), attempts };
      return { attempts, runAtMs, leaseUntilMs: 0, lastError: result.error };
    }
  }
}

/**
 * Forgets the endpoint of a device and ends all that waits for it. The row stays, so that its browser can come back. One that
 * has another endpoint by now is left alone.
 */
async function endDevice(
  tx: Tx,
  { deviceId, device }: LeasedPush,
  ending: PushEnding,
  nowMs: number,
): Promise<void> {
  const isAsCalled = and(eq(pushDevices.endpointHash, device.endpointHash), isNull(pushDevices.endedAtMs));
  const changed = await tx
    .update(pushDevices)
    .set({ subscription: '', endedAtMs: nowMs, ending })
    .where(and(eq(pushDevices.id, deviceId), isAsCalled))
    .returning({ id: pushDevices.id });
  if (changed.length === 0) return;
  await tx
    .update(pushes)
    .set(ended('dropped', nowMs, ending))
    .where(and(eq(pushes.deviceId, deviceId), isNull(pushes.endedAtMs)));
}

/** Stores what became of leased notices, one transaction for all. One whose lease another process took is left to it. */
export async function reportPushes(
  db: Database,
  reports: readonly { push: LeasedPush; result: PushResult }[],
  nowMs: number,
  random: () => number = Math.random,
): Promise<void> {
  if (reports.length === 0) return;
  await db.transaction(async (tx) => {
    await storeSent(
      tx,
      reports.filter(({ result }) => result.kind === 'sent').map(({ push }) => push),
      nowMs,
    );
    for (const { push, result } of reports) {
      if (result.kind === 'sent') continue;
      const stored = await tx
        .update(pushes)
        .set(patchOf(push, result, nowMs, random()))
        .where(and(eq(pushes.id, push.id), eq(pushes.leaseUntilMs, push.leaseUntilMs)))
        .returning({ id: pushes.id });
      if (result.kind === 'ended' && stored.length === 1) await endDevice(tx, push, result.ending, nowMs);
    }
  });
}

/** Stores those that were sent together, because they are most of a batch. All of a batch have the same lease. */
async function storeSent(tx: Tx, sent: readonly LeasedPush[], nowMs: number): Promise<void> {
  for (const leaseUntilMs of new Set(sent.map((push) => push.leaseUntilMs))) {
    const batch = sent.filter((push) => push.leaseUntilMs === leaseUntilMs);
    const ids = batch.map(({ id }) => id);
    await tx
      .update(pushes)
      .set({ ...ended('sent', nowMs), attempts: sql`${pushes.attempts} + 1` })
      .where(and(inArray(pushes.id, ids), eq(pushes.leaseUntilMs, leaseUntilMs)));
    const deviceIds = batch.map(({ deviceId }) => deviceId);
    await tx.update(pushDevices).set({ lastSentAtMs: nowMs }).where(inArray(pushDevices.id, deviceIds));
  }
}
