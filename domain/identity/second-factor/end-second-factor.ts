import { and, eq, isNotNull } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import {
  authenticators,
  passkeyChallenges,
  passkeys,
  pendingSignIns,
  recoveryCodes,
} from '#db/schema/second-factor.ts';
import { users } from '#db/schema/user.ts';

/** Ends the second factor of an account that has no app and no passkey any more, in the caller's transaction. */
export async function endLastSecondFactor(tx: Tx, userId: string): Promise<void> {
  const isOn = and(eq(authenticators.userId, userId), isNotNull(authenticators.confirmedAtMs));
  if ((await tx.$count(authenticators, isOn)) > 0) return;
  if ((await tx.$count(passkeys, eq(passkeys.userId, userId))) > 0) return;
  await endSecondFactor(tx, userId);
}

/** Deletes recovery codes and pending sign-ins, which only a second factor needs. */
async function endSecondFactor(tx: Tx, userId: string): Promise<void> {
  for (const table of [recoveryCodes, pendingSignIns, passkeyChallenges])
    await tx.delete(table).where(eq(table.userId, userId));
  await tx.update(users).set({ secondFactorAtMs: null }).where(eq(users.id, userId));
}

/** Removes every second factor of an account, in the caller's transaction. */
export async function eraseSecondFactor(tx: Tx, userId: string): Promise<void> {
  for (const table of [authenticators, passkeys]) await tx.delete(table).where(eq(table.userId, userId));
  await endSecondFactor(tx, userId);
}
