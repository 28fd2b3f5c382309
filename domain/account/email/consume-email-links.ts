import { and, eq, inArray, isNull } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { type EmailTokenPurpose, emailTokens } from '#db/schema/user.ts';

/** Makes every link of these kinds that is still on its way to a user worthless. */
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

/** Takes one link, once. False when another request was first. */
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
