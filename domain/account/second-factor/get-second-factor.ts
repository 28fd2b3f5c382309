import { and, eq, isNotNull, isNull } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { authenticators, recoveryCodes } from '#db/schema/second-factor.ts';

/** The second factors of an account, as its owner sees them. */
export interface SecondFactor {
  /** Since when an authenticator app is on; null: it is off. */
  authenticatorAtMs: number | null;
  recoveryCodesLeft: number;
}

/** Returns the second factors of an account. */
export async function getSecondFactor(q: Reader, { userId }: { userId: string }): Promise<SecondFactor> {
  const [app] = await q
    .select({ confirmedAtMs: authenticators.confirmedAtMs })
    .from(authenticators)
    .where(and(eq(authenticators.userId, userId), isNotNull(authenticators.confirmedAtMs)));
  const isLeft = and(eq(recoveryCodes.userId, userId), isNull(recoveryCodes.usedAtMs));
  return {
    authenticatorAtMs: app?.confirmedAtMs ?? null,
    recoveryCodesLeft: await q.$count(recoveryCodes, isLeft),
  };
}
