import type { Database, Tx } from '#db/database.ts';
import { pendingSignIns } from '#db/schema/second-factor.ts';
import { hashOf, newSecretToken } from '#domain/identity/access/secret-token.ts';
import { lockSecondFactor } from '#domain/identity/second-factor/prove-second-factor.ts';
import { minute } from '#domain/kernel/time.ts';
import { type SignedInBrowser, writeSession } from './open-session.ts';

/** Time that a sign-in waits for its second factor. */
export const SECOND_STEP_LIFETIME_MS = 10 * minute;

/** The result of a right password or of Twitch: a session, or a second step that comes before it. */
export type Admission =
  | { userId: string; step: 'done'; token: string }
  | { userId: string; step: 'secondFactor'; pendingToken: string };

interface Admitted extends SignedInBrowser {
  userId: string;
  /**
   * True if the user was asked for the first factor just now. Twitch may answer without asking, for a browser
   * that is still signed in there.
   */
  isProof: boolean;
}

/** Admits a browser whose user has the first factor: see `admit`. */
export const admitBrowser = (db: Database, input: Admitted, nowMs: number): Promise<Admission> =>
  db.transaction((tx) => admit(tx, input, nowMs));

/**
 * Opens a session for a browser whose user has the first factor, in the caller's transaction. An account with a second
 * factor gets none yet: the returned token stands for this sign-in alone, for ten minutes.
 */
export async function admit(tx: Tx, input: Admitted, nowMs: number): Promise<Admission> {
  const { userId } = input;
  if ((await lockSecondFactor(tx, userId)) === null) {
    const { token } = await writeSession(tx, input, nowMs);
    return { userId, step: 'done', token };
  }
  const pendingToken = newSecretToken();
  const expiresAtMs = nowMs + SECOND_STEP_LIFETIME_MS;
  await tx.insert(pendingSignIns).values({ tokenHash: hashOf(pendingToken), userId, expiresAtMs });
  return { userId, step: 'secondFactor', pendingToken };
}
