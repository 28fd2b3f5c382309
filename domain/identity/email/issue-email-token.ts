import type { Tx } from '#db/database.ts';
import { type EmailTokenPurpose, emailTokens } from '#db/schema/user.ts';
import { hashOf, newSecretToken } from '#domain/identity/access/secret-token.ts';
import { hour } from '#domain/kernel/time.ts';

/** Lifetime of each kind of mailed link, in hours. */
const linkHours: Record<EmailTokenPurpose, number> = { verify: 24, change: 24, reset: 1, disown: 7 * 24 };

/** Issues the token of a mailed link; only its hash is stored. */
export async function issueEmailToken(
  tx: Tx,
  link: { userId: string; email: string; purpose: EmailTokenPurpose; actAtMs?: number },
  nowMs: number,
): Promise<string> {
  const token = newSecretToken();
  const expiresAtMs = nowMs + linkHours[link.purpose] * hour;
  await tx.insert(emailTokens).values({ tokenHash: hashOf(token), ...link, expiresAtMs });
  return token;
}
