import { and, eq, gt, isNull } from 'drizzle-orm';
import type { Database, Reader } from '#db/database.ts';
import { authenticators } from '#db/schema/second-factor.ts';
import type { AccountCodeOf } from '#domain/account/account-code.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';
import { hour } from '#domain/time.ts';
import { newTotpSecret } from './totp.ts';

/** How long a secret waits for the first code of its app. */
export const SETUP_LIFETIME_MS = hour;

/**
 * Makes a secret for an authenticator app. It protects nothing before `enableAuthenticator`, and replaces one that was
 * made before and not used.
 */
export async function beginAuthenticator(
  db: Database,
  { userId }: { userId: string },
  nowMs: number,
): Promise<Outcome<object, AccountCodeOf<'authenticatorOn'>>> {
  const fresh = { secret: newTotpSecret(), createdAtMs: nowMs };
  return db.transaction(async (tx) => {
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

/** The secret that waits for the first code of its app; null if there is none, or it waited for an hour. */
export async function findSetup(
  q: Reader,
  { userId }: { userId: string },
  nowMs: number,
): Promise<{ secret: string } | null> {
  const [found] = await q
    .select({ secret: authenticators.secret })
    .from(authenticators)
    .where(
      and(
        eq(authenticators.userId, userId),
        isNull(authenticators.confirmedAtMs),
        gt(authenticators.createdAtMs, nowMs - SETUP_LIFETIME_MS),
      ),
    );
  return found ?? null;
}
