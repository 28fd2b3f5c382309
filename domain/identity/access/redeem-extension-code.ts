import { and, eq, gt, isNull } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { extensionCodes } from '#db/schema/access.ts';
import type { AccountCodeOf } from '#domain/identity/account-code.ts';
import { done, type Outcome, Refused, refusable, refuse } from '#domain/kernel/outcome.ts';
import { hashOfExtensionCode } from './extension-code.ts';
import { addApiToken } from './issue-api-token.ts';

type Code = AccountCodeOf<'extensionCodeUnknown' | 'tooManyTokens'>;

/**
 * Exchanges a companion app code for an API token named after the device. Unknown, used and expired codes get the
 * same refusal. If no token can be issued, the code stays valid.
 */
export async function redeemExtensionCode(
  db: Database,
  input: { code: string; device: string },
  nowMs: number,
): Promise<Outcome<{ userId: string; tokenId: string; token: string }, Code>> {
  const codeHash = hashOfExtensionCode(input.code);
  return refusable<Outcome<{ userId: string; tokenId: string; token: string }, Code>, Code>(() =>
    db.transaction(async (tx) => {
      const [taken] = await tx
        .update(extensionCodes)
        .set({ usedAtMs: nowMs })
        .where(
          and(
            eq(extensionCodes.codeHash, codeHash),
            isNull(extensionCodes.usedAtMs),
            gt(extensionCodes.expiresAtMs, nowMs),
          ),
        )
        .returning({ userId: extensionCodes.userId });
      if (!taken) return refuse('extensionCodeUnknown');
      const { userId } = taken;
      const issued = await addApiToken(tx, { userId, name: input.device }, nowMs);
      // Thrown so that the transaction rolls back and the code stays valid.
      if (!issued.ok)
        throw new Refused<Code>(issued.code === 'unverified' ? 'extensionCodeUnknown' : issued.code);
      return done({ userId, tokenId: issued.tokenId, token: issued.token });
    }),
  );
}
