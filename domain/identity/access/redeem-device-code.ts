import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { type AccessRequestState, accessRequests } from '#db/schema/access.ts';
import { users } from '#db/schema/user.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { ASKING_PAUSE_MS, hashOfDeviceCode } from './access-request.ts';
import { addApiToken } from './issue-api-token.ts';

/** The reasons why a program gets no token yet, or never, in the order in which they are checked. */
export type DeviceCodeRefusal = 'unknown' | 'expired' | 'tooSoon' | 'waiting' | 'refused';

type Redeemed = Outcome<{ userId: string; tokenId: string; token: string }, DeviceCodeRefusal>;

const refusals: Record<Exclude<AccessRequestState, 'allowed'>, DeviceCodeRefusal> = {
  waiting: 'waiting',
  refused: 'refused',
  redeemed: 'unknown',
};

/**
 * Answers a program that asks what was decided about its request: once with an API token under the program's name, which
 * is stored nowhere else. A question that comes before the pause is over makes the pause longer for good (RFC 8628, 3.5),
 * by the machine's clock. Somebody who may have no token has refused.
 */
export async function redeemDeviceCode(
  db: Database,
  { deviceCode, program }: { deviceCode: string; program: string },
  { nowMs, systemMs }: { nowMs: number; systemMs: number },
): Promise<Redeemed> {
  const isIt = and(
    eq(accessRequests.deviceCodeHash, hashOfDeviceCode(deviceCode)),
    eq(accessRequests.program, program),
  );
  const [known] = await db.read.select({ userId: accessRequests.userId }).from(accessRequests).where(isIt);
  if (!known) return refuse('unknown');
  return db.transaction(async (tx) => {
    // The account's lock: what ends all access of an account takes it first, too.
    if (known.userId !== null)
      await tx.update(users).set({ locale: users.locale }).where(eq(users.id, known.userId));
    // A write rather than a read: two questions at once come one after the other.
    const [found] = await tx.update(accessRequests).set({ program }).where(isIt).returning({
      state: accessRequests.state,
      userId: accessRequests.userId,
      expiresAtMs: accessRequests.expiresAtMs,
      pauseMs: accessRequests.pauseMs,
      askedAtMs: accessRequests.askedAtMs,
    });
    if (!found || found.state === 'redeemed') return refuse('unknown');
    if (found.expiresAtMs <= nowMs) return refuse('expired');
    const { userId, pauseMs, askedAtMs } = found;
    const state: AccessRequestState = found.state;
    const isTooSoon = askedAtMs !== null && systemMs >= askedAtMs && systemMs - askedAtMs < pauseMs;
    await tx
      .update(accessRequests)
      .set({ askedAtMs: systemMs, pauseMs: isTooSoon ? pauseMs + ASKING_PAUSE_MS : pauseMs })
      .where(isIt);
    if (isTooSoon) return refuse('tooSoon');
    if (state !== 'allowed') return refuse(refusals[state]);
    // It was decided since the read above, so the lock is not held.
    if (userId === null || userId !== known.userId) return refuse('waiting');
    const issued = await addApiToken(tx, { userId, name: program }, nowMs);
    if (!issued.ok) return refuse('refused');
    await tx.update(accessRequests).set({ state: 'redeemed' }).where(isIt);
    return done({ userId, tokenId: issued.tokenId, token: issued.token });
  });
}
