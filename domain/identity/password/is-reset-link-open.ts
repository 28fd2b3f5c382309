import { and, eq, gt, isNull } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { emailTokens } from '#db/schema/user.ts';
import { hashOf } from '#domain/identity/access/secret-token.ts';

/** Returns whether a mailed link can still set a password: it exists, was not used, and is not too old. */
export async function isResetLinkOpen(
  q: Reader,
  { token }: { token: string },
  nowMs: number,
): Promise<boolean> {
  const [found] = await q
    .select({ email: emailTokens.email })
    .from(emailTokens)
    .where(
      and(
        eq(emailTokens.tokenHash, hashOf(token)),
        eq(emailTokens.purpose, 'reset'),
        isNull(emailTokens.usedAtMs),
        gt(emailTokens.expiresAtMs, nowMs),
      ),
    );
  return found !== undefined;
}
