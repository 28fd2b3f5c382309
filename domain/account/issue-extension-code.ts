import { eq, lte, or } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { extensionCodes } from '#db/schema/access.ts';
import {
  extensionCodeLifetimeMs,
  hashOfExtensionCode,
  newExtensionCode,
} from '#domain/account/extension-code.ts';

/** Issues a code that signs the companion app in, once and within 10 minutes. A code issued before ends. */
export async function issueExtensionCode(
  db: Database,
  input: { userId: string },
  nowMs: number,
): Promise<{ code: string; expiresAtMs: number }> {
  const { userId } = input;
  const code = newExtensionCode();
  const expiresAtMs = nowMs + extensionCodeLifetimeMs;
  await db.transaction(async (tx) => {
    await tx
      .delete(extensionCodes)
      .where(or(eq(extensionCodes.userId, userId), lte(extensionCodes.expiresAtMs, nowMs)));
    await tx
      .insert(extensionCodes)
      .values({ codeHash: hashOfExtensionCode(code), userId, createdAtMs: nowMs, expiresAtMs });
  });
  return { code, expiresAtMs };
}
