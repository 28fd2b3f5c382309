import { and, eq, isNull } from 'drizzle-orm';
import type { Database, Reader, Tx } from '#db/database.ts';
import { users } from '#db/schema/user.ts';
import type { AccountCodeOf } from '#domain/identity/account-code.ts';
import { notifyOfChange } from '#domain/identity/notify-of-change.ts';
import { rulesLock } from '#domain/kernel/locks.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { hour } from '#domain/kernel/time.ts';

/** For how many hours a new rule can hold back what it gives. */
export const sendDelays = [0, 1, 6, 24, 72] as const;
export type SendDelay = (typeof sendDelays)[number];

/**
 * How long the rules that an owner opens hold back what they give, so that a rule which somebody else opened can be
 * stopped in time. `next` is a shorter delay that was chosen, and from when it is in force.
 */
export interface SendDelaySetting {
  hours: number;
  next: { hours: number; atMs: number } | null;
}

/** The delay of an account at this time. Deleted accounts have none. */
export async function getSendDelay(q: Reader, userId: string, nowMs: number): Promise<SendDelaySetting> {
  const [user] = await q
    .select({
      hours: users.sendDelayHours,
      nextHours: users.nextSendDelayHours,
      nextAtMs: users.nextSendDelayAtMs,
    })
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.deletedAtMs)));
  if (!user || user.nextHours === null || user.nextAtMs === null)
    return { hours: user?.hours ?? 0, next: null };
  if (nowMs >= user.nextAtMs) return { hours: user.nextHours, next: null };
  return { hours: user.hours, next: { hours: user.nextHours, atMs: user.nextAtMs } };
}

/**
 * Chooses how long rules that are opened from now on hold back what they give; open rules keep theirs. A longer delay, or
 * keeping the present one, is in force at once. A shorter one needs a confirmed identity, is mailed to the owner, and is in
 * force only when the present delay has passed: otherwise whoever took over the account would turn it off first.
 */
export async function setSendDelay(
  db: Database,
  { userId, hours, isConfirmed }: { userId: string; hours: SendDelay; isConfirmed: boolean },
  nowMs: number,
): Promise<Outcome<SendDelaySetting, AccountCodeOf<'identityUnconfirmed'>>> {
  const choose = async (tx: Tx): Promise<Outcome<SendDelaySetting, 'identityUnconfirmed'>> => {
    const present = await getSendDelay(tx, userId, nowMs);
    if (present.next?.hours === hours) return done(present);
    const isShorter = hours < present.hours;
    if (isShorter && !isConfirmed) return refuse('identityUnconfirmed');
    const next = isShorter ? { hours, atMs: nowMs + present.hours * hour } : null;
    const setting = { hours: isShorter ? present.hours : hours, next };
    await tx
      .update(users)
      .set({
        sendDelayHours: setting.hours,
        nextSendDelayHours: next?.hours ?? null,
        nextSendDelayAtMs: next?.atMs ?? null,
      })
      .where(eq(users.id, userId));
    if (isShorter) await notifyOfChange(tx, { userId, change: 'sendDelayLowered' }, nowMs);
    return done(setting);
  };
  // A rule that is being opened has the delay of before or of after.
  return db.transaction(choose, { lock: rulesLock(userId) });
}
