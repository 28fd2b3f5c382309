import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { type AccessRequestState, accessRequests } from '#db/schema/access.ts';
import { users } from '#db/schema/user.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { second } from '#domain/kernel/time.ts';
import { ASKING_PAUSE_MS, hashOfDeviceCode } from './access-request.ts';
import { addApiToken } from './issue-api-token.ts';

/** The reasons why a program gets no token yet, or never, in the order in which they are checked. */
export type DeviceCodeRefusal = 'unknown' | 'expired' | 'refused' | 'tooSoon' | 'waiting';

type Redeemed = Outcome<{ userId: string; tokenId: string; token: string }, DeviceCodeRefusal>;

/** Questions take unequal times on their way, so one may be heard this much too early. */
const TOLERANCE_MS = second;

/** The refusal of a request that nothing can change any more; null while it can still get a token. */
function refusalOf(found: { state: AccessRequestState; expiresAtMs: number }, nowMs: number) {
  if (found.state === 'redeemed') return refuse('unknown');
  if (found.expiresAtMs <= nowMs) return refuse('expired');
  return found.state === 'refused' ? refuse('refused') : null;
}

/**
 * Answers a program that asks what was decided about its request: once with an API token under the program's name, which
 * is stored nowhere else. A question that comes over a second before the end of the pause makes the pause longer for good (RFC 8628, 3.5),
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
  const [known] = await db.read
    .select({
      state: accessRequests.state,
      userId: accessRequests.userId,
      expiresAtMs: accessRequests.expiresAtMs,
    })
    .from(accessRequests)
    .where(isIt);
  if (!known) return refuse('unknown');
  const refusal = refusalOf(known, nowMs);
  if (refusal) return refusal;
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
    if (!found) return refuse('unknown');
    const decided = refusalOf(found, nowMs);
    if (decided) return decided;
    const { state, userId, pauseMs, askedAtMs } = found;
    const isTooSoon =
      askedAtMs !== null && systemMs >= askedAtMs && systemMs - askedAtMs < pauseMs - TOLERANCE_MS;
    await tx
      .update(accessRequests)
      .set({ askedAtMs: systemMs, pauseMs: isTooSoon ? pauseMs + ASKING_PAUSE_MS : pauseMs })
      .where(isIt);
    if (isTooSoon) return refuse('tooSoon');
    // Allowed by another account than in the read above, or since then: the lock is not held.
    if (state === 'waiting' || userId === null || userId !== known.userId) return refuse('waiting');
    const issued = await addApiToken(tx, { userId, name: program }, nowMs);
    if (!issued.ok) return refuse('refused');
    await tx.update(accessRequests).set({ state: 'redeemed' }).where(isIt);
    return done({ userId, tokenId: issued.tokenId, token: issued.token });
  });
}
