import { eq } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { authenticators, pendingSignIns, recoveryCodes } from '#db/schema/second-factor.ts';
import { users } from '#db/schema/user.ts';

/** Ends what only a second factor is for, in the caller's transaction: recovery codes and sign-ins that wait for it. */
export async function endSecondFactor(tx: Tx, userId: string): Promise<void> {
  for (const table of [recoveryCodes, pendingSignIns]) await tx.delete(table).where(eq(table.userId, userId));
  await tx.update(users).set({ secondFactorAtMs: null }).where(eq(users.id, userId));
}

/** Removes every second factor of an account, in the caller's transaction. */
export async function eraseSecondFactor(tx: Tx, userId: string): Promise<void> {
  await tx.delete(authenticators).where(eq(authenticators.userId, userId));
  await endSecondFactor(tx, userId);
}
