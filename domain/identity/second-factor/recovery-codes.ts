import { and, eq, isNull } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { recoveryCodes } from '#db/schema/second-factor.ts';
import { hashOf } from '#domain/identity/access/secret-token.ts';
import { newCode, typedCode } from '#domain/kernel/code.ts';

export const RECOVERY_CODE_COUNT = 10;

/** Sixteen characters in groups of four: 78 bits, so that a stolen hash cannot be reversed by guessing. */
const newRecoveryCode = (): string => newCode(4);

const hashOfRecoveryCode = (userId: string, code: string): string =>
  hashOf(`recovery:${userId}:${typedCode(code)}`);

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

/** Uses up a recovery code, in the caller's transaction. If two requests use it at once, one is refused. */
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
