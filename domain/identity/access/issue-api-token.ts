import { eq } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { apiTokens } from '#db/schema/access.ts';
import type { AccountCodeOf } from '#domain/identity/account-code.ts';
import { isVerified } from '#domain/identity/email/is-verified.ts';
import { notifyOfChange } from '#domain/identity/notify-of-change.ts';
import { mayStillAct } from '#domain/identity/session/is-live-session.ts';
import { newId } from '#domain/kernel/id.ts';
import { apiTokensLock } from '#domain/kernel/locks.ts';
import { done, type Outcome, type Refusal, refuse } from '#domain/kernel/outcome.ts';
import { hashOf, newSecretToken } from './secret-token.ts';

/** More than anyone needs; without a limit a user could fill the database. */
export const MAX_API_TOKENS = 20;
export const API_TOKEN_NAME_MAX_LENGTH = 60;

export type IssuedToken = Outcome<
  { tokenId: string; token: string },
  AccountCodeOf<'unverified' | 'tooManyTokens'>
>;

/**
 * Issues an API token under a name the owner chose. Its text is returned only here. Refused before the owner's
 * address is verified, and to a session (`currentToken`) that ended meanwhile. The owner is mailed.
 */
export async function issueApiToken(
  db: Database,
  input: { userId: string; name: string; currentToken?: string },
  nowMs: number,
): Promise<IssuedToken | Refusal<'sessionUnknown'>> {
  return db.transaction(
    async (tx) =>
      (await mayStillAct(tx, input, nowMs)) ? addApiToken(tx, input, nowMs) : refuse('sessionUnknown'),
    { lock: apiTokensLock(input.userId) },
  );
}

/** Like `issueApiToken`, in the caller's transaction. The prefix lets people and secret scanners recognize it. */
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
  await notifyOfChange(tx, { userId, change: 'tokenIssued' }, nowMs);
  return done({ tokenId, token });
}
