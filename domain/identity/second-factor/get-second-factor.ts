import { and, eq, isNotNull, isNull } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { authenticators, passkeys, recoveryCodes } from '#db/schema/second-factor.ts';

/** A passkey as its owner sees it. */
export interface ListedPasskey {
  id: string;
  name: string;
  createdAtMs: number;
  lastUsedAtMs: number | null;
}

/** The second factors of an account, as its owner sees them. */
export interface SecondFactor {
  /** Domain time at which the authenticator app was turned on; null while it is off. */
  authenticatorAtMs: number | null;
  /** Oldest first. */
  passkeys: ListedPasskey[];
  recoveryCodesLeft: number;
}

/** Returns the second factors of an account. */
export async function getSecondFactor(q: Reader, { userId }: { userId: string }): Promise<SecondFactor> {
  const [app] = await q
    .select({ confirmedAtMs: authenticators.confirmedAtMs })
    .from(authenticators)
    .where(and(eq(authenticators.userId, userId), isNotNull(authenticators.confirmedAtMs)));
  const { id, name, createdAtMs, lastUsedAtMs } = passkeys;
  const listed = await q
    .select({ id, name, createdAtMs, lastUsedAtMs })
    .from(passkeys)
    .where(eq(passkeys.userId, userId))
    .orderBy(passkeys.createdAtMs, passkeys.id);
  const isLeft = and(eq(recoveryCodes.userId, userId), isNull(recoveryCodes.usedAtMs));
  return {
    authenticatorAtMs: app?.confirmedAtMs ?? null,
    passkeys: listed,
    recoveryCodesLeft: await q.$count(recoveryCodes, isLeft),
  };
}
