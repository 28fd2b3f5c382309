import { randomInt } from 'node:crypto';
import { and, eq, isNull } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { recoveryCodes } from '#db/schema/second-factor.ts';
import { hashOf } from '#domain/account/access/secret-token.ts';

export const RECOVERY_CODE_COUNT = 10;

// Without characters that look alike.
const letters = 'ABCDEFGHJKMNPQRSTVWXYZ23456789';
const groups = 4;
const groupLength = 4;

/** Sixteen characters in groups of four: 78 bits, so that a stolen hash cannot be reversed by guessing. */
const newRecoveryCode = (): string =>
  Array.from({ length: groups }, () =>
    Array.from({ length: groupLength }, () => letters[randomInt(letters.length)]).join(''),
  ).join('-');

/** Case, and spaces instead of hyphens, make no difference. */
const hashOfRecoveryCode = (userId: string, code: string): string =>
  hashOf(`recovery:${userId}:${code.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')}`);

/** Replaces all recovery codes of an account by ten new ones, in the caller's transaction. */
export async function replaceRecoveryCodes(tx: Tx, userId: string, nowMs: number): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODE_COUNT }, newRecoveryCode);
  await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId));
  await tx
    .insert(recoveryCodes)
    .values(
      codes.map((code) => ({ codeHash: hashOfRecoveryCode(userId, code), userId, createdAtMs: nowMs })),
    );
  return codes;
}

/** Uses up a recovery code, in the caller's transaction. Of two at once, one is refused. */
export async function consumeRecoveryCode(
  tx: Tx,
  { userId, code }: { userId: string; code: string },
  nowMs: number,
): Promise<boolean> {
  const used = await tx
    .update(recoveryCodes)
    .set({ usedAtMs: nowMs })
    .where(
      and(
        eq(recoveryCodes.codeHash, hashOfRecoveryCode(userId, code)),
        eq(recoveryCodes.userId, userId),
        isNull(recoveryCodes.usedAtMs),
      ),
    )
    .returning({ userId: recoveryCodes.userId });
  return used.length === 1;
}
