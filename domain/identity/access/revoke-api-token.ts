import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { apiTokens } from '#db/schema/access.ts';
import type { AccountCodeOf } from '#domain/identity/account-code.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';

/** Revokes one of the user's own tokens. Someone else's token counts as unknown. */
export async function revokeApiToken(
  db: Database,
  input: { userId: string; tokenId: string },
): Promise<Outcome<object, AccountCodeOf<'tokenUnknown'>>> {
  const { userId, tokenId } = input;
  return db.transaction(async (tx) => {
    const revoked = await tx
      .delete(apiTokens)
      .where(and(eq(apiTokens.id, tokenId), eq(apiTokens.userId, userId)))
      .returning({ id: apiTokens.id });
    return revoked.length > 0 ? done({}) : refuse('tokenUnknown');
  });
}
