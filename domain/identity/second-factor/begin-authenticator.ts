import { and, eq, gt, isNull } from 'drizzle-orm';
import type { Database, Reader } from '#db/database.ts';
import { authenticators } from '#db/schema/second-factor.ts';
import { hashOf } from '#domain/identity/access/secret-token.ts';
import type { AccountCodeOf } from '#domain/identity/account-code.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { hour } from '#domain/kernel/time.ts';
import { lockSecondFactor } from './prove-second-factor.ts';
import { newTotpSecret } from './totp.ts';

/** Time that a secret waits for the first code of its app. */
export const SETUP_LIFETIME_MS = hour;

/** The user and the token of the session that sets the app up. */
interface OwnSession {
  userId: string;
  currentToken: string;
}

/**
 * Makes a secret for an authenticator app. It protects nothing before `enableAuthenticator`, and replaces one
 * that was made before and not used. It belongs to this session: the user of another one may have noted its
 * secret.
 */
export async function beginAuthenticator(
  db: Database,
  { userId, currentToken }: OwnSession,
  nowMs: number,
): Promise<Outcome<object, AccountCodeOf<'authenticatorOn'>>> {
  const fresh = { secret: newTotpSecret(), createdAtMs: nowMs, begunBySession: hashOf(currentToken) };
  return db.transaction(async (tx) => {
    // Waits until a factor that is just being turned on is stored, so that its secret is not replaced after
    // its code was checked.
    await lockSecondFactor(tx, userId);
    const begun = await tx
      .insert(authenticators)
      .values({ userId, ...fresh })
      .onConflictDoUpdate({
        target: authenticators.userId,
        set: fresh,
        setWhere: isNull(authenticators.confirmedAtMs),
      })
      .returning({ userId: authenticators.userId });
    return begun.length > 0 ? done({}) : refuse('authenticatorOn');
  });
}

/** The secret that this session began with; null if there is none, or it waited for an hour. */
export async function findSetup(
  q: Reader,
  { userId, currentToken }: OwnSession,
  nowMs: number,
): Promise<{ secret: string } | null> {
  const [found] = await q
    .select({ secret: authenticators.secret })
    .from(authenticators)
    .where(
      and(
        eq(authenticators.userId, userId),
        isNull(authenticators.confirmedAtMs),
        eq(authenticators.begunBySession, hashOf(currentToken)),
        gt(authenticators.createdAtMs, nowMs - SETUP_LIFETIME_MS),
      ),
    );
  return found ?? null;
}
