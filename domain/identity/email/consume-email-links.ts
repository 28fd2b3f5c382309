import { and, eq, inArray, isNull } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { type EmailTokenPurpose, emailTokens } from '#db/schema/user.ts';

/** Invalidates a user's unused links of these kinds; with `email` only those that were sent to this address. */
export async function consumeEmailLinks(
  tx: Tx,
  input: { userId: string; purposes: readonly EmailTokenPurpose[]; email?: string },
  nowMs: number,
): Promise<void> {
  const { userId, purposes, email } = input;
  await tx
    .update(emailTokens)
    .set({ usedAtMs: nowMs })
    .where(
      and(
        eq(emailTokens.userId, userId),
        inArray(emailTokens.purpose, [...purposes]),
        isNull(emailTokens.usedAtMs),
        email === undefined ? undefined : eq(emailTokens.email, email),
      ),
    );
}

/** Consumes a link. Returns false if another request was first. */
export async function consumeEmailLink(
  tx: Tx,
  input: { tokenHash: string },
  nowMs: number,
): Promise<boolean> {
  const taken = await tx
    .update(emailTokens)
    .set({ usedAtMs: nowMs })
    .where(and(eq(emailTokens.tokenHash, input.tokenHash), isNull(emailTokens.usedAtMs)))
    .returning({ tokenHash: emailTokens.tokenHash });
  return taken.length === 1;
}
