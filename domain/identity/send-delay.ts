import { and, eq, isNull } from 'drizzle-orm';
import type { Database, Reader, Tx } from '#db/database.ts';
import { users } from '#db/schema/user.ts';
import type { AccountCodeOf } from '#domain/identity/account-code.ts';
import { notifyOfChange } from '#domain/identity/notify-of-change.ts';
import { rulesLock } from '#domain/kernel/locks.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { hour } from '#domain/kernel/time.ts';

/** Hours for which a new rule can hold back its rewards. */
export const sendDelays = [0, 1, 6, 24, 72] as const;
export type SendDelay = (typeof sendDelays)[number];

/**
 * The delay that an owner's new rules put on the items they give, so that a rule opened by somebody else can
 * be stopped in time. `next` is a shorter delay that was chosen, and the time from which it applies.
 */
export interface SendDelaySetting {
  hours: number;
  next: { hours: number; atMs: number } | null;
}

/** Returns the delay of an account at this time. Deleted accounts have none. */
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
 * Chooses the delay of rules that are opened from now on; open rules keep theirs. A longer delay, or keeping
 * the present one, applies at once. A shorter one needs a confirmed identity, is mailed to the owner, and
 * applies only once the present delay has passed. Otherwise somebody who took over the account would turn the
 * delay off first.
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
  // A rule that is opened at the same moment gets either the old delay or the new one.
  return db.transaction(choose, { lock: rulesLock(userId) });
}
