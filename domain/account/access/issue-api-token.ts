import { eq } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { apiTokens } from '#db/schema/access.ts';
import type { AccountCodeOf } from '#domain/account/account-code.ts';
import { isVerified } from '#domain/account/email/is-verified.ts';
import { newId } from '#domain/id.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';
import { hashOf, newSecretToken } from './secret-token.ts';

/** More than anybody has programs; a list without an end would be a way to fill the store. */
export const MAX_API_TOKENS = 20;
export const API_TOKEN_NAME_MAX_LENGTH = 60;

export type IssuedToken = Outcome<
  { tokenId: string; token: string },
  AccountCodeOf<'unverified' | 'tooManyTokens'>
>;

/**
 * Issues a key that a program acts with for its owner, under a name of the owner's choice. Its text is told only here.
 * Refused before the owner's address is verified.
 */
export async function issueApiToken(
  db: Database,
  input: { userId: string; name: string },
  nowMs: number,
): Promise<IssuedToken> {
  return db.transaction((tx) => addApiToken(tx, input, nowMs), { lock: `apiTokens:${input.userId}` });
}

/** The same within a transaction of the caller's. The prefix lets people and scanners of leaks see what it is. */
export async function addApiToken(
  tx: Tx,
  { userId, name }: { userId: string; name: string },
  nowMs: number,
): Promise<IssuedToken> {
  if (!(await isVerified(tx, { userId }))) return refuse('unverified');
  const count = await tx.$count(apiTokens, eq(apiTokens.userId, userId));
  if (count >= MAX_API_TOKENS) return refuse('tooManyTokens');
  const token = `keepsake_${newSecretToken()}`;
  const tokenId = newId(nowMs);
  await tx.insert(apiTokens).values({
    id: tokenId,
    userId,
    name: name.trim().slice(0, API_TOKEN_NAME_MAX_LENGTH),
    tokenHash: hashOf(token),
    createdAtMs: nowMs,
  });
  return done({ tokenId, token });
}
