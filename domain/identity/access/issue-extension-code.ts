import { eq, lte, or } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { extensionCodes } from '#db/schema/access.ts';
import type { AccountCodeOf } from '#domain/identity/account-code.ts';
import { isVerified } from '#domain/identity/email/is-verified.ts';
import { mayStillAct } from '#domain/identity/session/is-live-session.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { EXTENSION_CODE_LIFETIME_MS, hashOfExtensionCode, newExtensionCode } from './extension-code.ts';

/**
 * Issues a code that signs in the companion app once within 10 minutes and replaces any earlier code. Refused before
 * the account's address is verified, and to a session (`currentToken`) that ended meanwhile.
 */
export async function issueExtensionCode(
  db: Database,
  input: { userId: string; currentToken?: string },
  nowMs: number,
): Promise<Outcome<{ code: string; expiresAtMs: number }, AccountCodeOf<'unverified' | 'sessionUnknown'>>> {
  const { userId } = input;
  const code = newExtensionCode();
  const expiresAtMs = nowMs + EXTENSION_CODE_LIFETIME_MS;
  return db.transaction(async (tx) => {
    if (!(await mayStillAct(tx, input, nowMs))) return refuse('sessionUnknown');
    if (!(await isVerified(tx, { userId }))) return refuse('unverified');
    await tx
      .delete(extensionCodes)
      .where(or(eq(extensionCodes.userId, userId), lte(extensionCodes.expiresAtMs, nowMs)));
    await tx
      .insert(extensionCodes)
      .values({ codeHash: hashOfExtensionCode(code), userId, createdAtMs: nowMs, expiresAtMs });
    return done({ code, expiresAtMs });
  });
}
