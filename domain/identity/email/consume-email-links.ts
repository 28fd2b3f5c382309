import { and, eq, inArray, isNull } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { type EmailTokenPurpose, emailTokens } from '#db/schema/user.ts';

/** Invalidates a user's unused links of these kinds. */
export async function consumeEmailLinks(
  tx: Tx,
  input: { userId: string; purposes: readonly EmailTokenPurpose[] },
  nowMs: number,
): Promise<void> {
  const { userId, purposes } = input;
  await tx
    .update(emailTokens)
    .set({ usedAtMs: nowMs })
    .where(
      and(
        eq(emailTokens.userId, userId),
        inArray(emailTokens.purpose, [...purposes]),
        isNull(emailTokens.usedAtMs),
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
