import { and, eq, inArray } from 'drizzle-orm';
import type { Reader, Tx } from '#db/database.ts';
import { emailTokens, users } from '#db/schema/user.ts';
import { hashOf } from '#domain/identity/access/secret-token.ts';
import type { AccountCodeOf } from '#domain/identity/account-code.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';

export type LinkCode = AccountCodeOf<'verificationUnknown' | 'verificationUsed' | 'verificationExpired'>;
export interface EmailLink {
  token: typeof emailTokens.$inferSelect;
  user: typeof users.$inferSelect;
}

/**
 * Finds a valid link that verifies an address (first or changed) without consuming it, because mail scanners open
 * links too.
 */
export async function findEmailLink(
  q: Reader | Tx,
  input: { token: string },
  nowMs: number,
): Promise<Outcome<{ link: EmailLink }, LinkCode>> {
  const [link] = await q
    .select({ token: emailTokens, user: users })
    .from(emailTokens)
    .innerJoin(users, eq(users.id, emailTokens.userId))
    .where(
      and(eq(emailTokens.tokenHash, hashOf(input.token)), inArray(emailTokens.purpose, ['verify', 'change'])),
    );
  if (!link) return refuse('verificationUnknown');
  const { token, user } = link;
  if (token.purpose === 'verify' && token.email !== user.email) return refuse('verificationUnknown');
  if (token.usedAtMs !== null) return refuse('verificationUsed');
  if (token.expiresAtMs <= nowMs) return refuse('verificationExpired');
  return done({ link });
}
