import { randomBytes } from 'node:crypto';
import { and, eq, gt } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { type ChallengePurpose, passkeyChallenges } from '#db/schema/second-factor.ts';
import { hashOf } from '#domain/identity/access/secret-token.ts';
import { minute } from '#domain/kernel/time.ts';

/** Time that a browser may take to get its challenge signed. A pending sign-in lasts as long. */
export const CHALLENGE_LIFETIME_MS = 10 * minute;
const CHALLENGE_BYTES = 32;

/** The holder of a challenge: a user, and the token of their session or pending sign-in. */
export interface ChallengeHolder {
  userId: string;
  token: string;
  purpose: ChallengePurpose;
}

/** Makes a challenge in base64url for one answer of this browser within ten minutes. It replaces the one before. */
export async function issueChallenge(
  db: Database,
  { userId, token, purpose }: ChallengeHolder,
  nowMs: number,
): Promise<string> {
  const challenge = randomBytes(CHALLENGE_BYTES).toString('base64url');
  const fresh = { userId, challenge, expiresAtMs: nowMs + CHALLENGE_LIFETIME_MS };
  await db.transaction(async (tx) => {
    await tx
      .insert(passkeyChallenges)
      .values({ heldBy: hashOf(token), purpose, ...fresh })
      .onConflictDoUpdate({ target: [passkeyChallenges.heldBy, passkeyChallenges.purpose], set: fresh });
  });
  return challenge;
}

/**
 * Takes the challenge of this browser, so that no second answer is compared with it, even if the first one is
 * wrong. Null if there is none, or it is older than ten minutes.
 */
export async function takeChallenge(
  db: Database,
  { userId, token, purpose }: ChallengeHolder,
  nowMs: number,
): Promise<string | null> {
  return db.transaction(async (tx) => {
    const [taken] = await tx
      .delete(passkeyChallenges)
      .where(
        and(
          eq(passkeyChallenges.heldBy, hashOf(token)),
          eq(passkeyChallenges.purpose, purpose),
          eq(passkeyChallenges.userId, userId),
          gt(passkeyChallenges.expiresAtMs, nowMs),
        ),
      )
      .returning({ challenge: passkeyChallenges.challenge });
    return taken?.challenge ?? null;
  });
}
