import { desc, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { apiTokens } from '#db/schema/access.ts';

/** An API token without its text, which is not stored. */
export interface ApiToken {
  id: string;
  name: string;
  createdAtMs: number;
  lastUsedAtMs: number | null;
}

/** Lists an account's API tokens, newest first. */
export async function listApiTokens(db: Database, input: { userId: string }): Promise<ApiToken[]> {
  return db.read
    .select({
      id: apiTokens.id,
      name: apiTokens.name,
      createdAtMs: apiTokens.createdAtMs,
      lastUsedAtMs: apiTokens.lastUsedAtMs,
    })
    .from(apiTokens)
    .where(eq(apiTokens.userId, input.userId))
    .orderBy(desc(apiTokens.id));
}
