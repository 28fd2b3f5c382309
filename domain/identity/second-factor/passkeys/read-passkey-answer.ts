import { and, eq, lt } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { passkeys } from '#db/schema/second-factor.ts';
import { loadWebAuthn, type PasskeyAnswer, transportsFrom } from './passkey-answer.ts';
import { takeChallenge } from './passkey-challenge.ts';

/** A passkey that signed our challenge, and its own count of its uses. */
export interface SignedByPasskey {
  passkeyId: string;
  counter: number;
}

/**
 * Checks a signature made by a passkey of this account, outside of any transaction; null if it is wrong. The
 * challenge is used up either way.
 */
export async function readPasskeyAnswer(
  db: Database,
  { userId, passkey: { response, token, site } }: { userId: string; passkey: PasskeyAnswer },
  nowMs: number,
): Promise<SignedByPasskey | null> {
  const challenge = await takeChallenge(db, { userId, token, purpose: 'prove' }, nowMs);
  const [known] = await db.read
    .select()
    .from(passkeys)
    .where(and(eq(passkeys.credentialId, response.id), eq(passkeys.userId, userId)));
  if (challenge === null || !known) return null;
  return checkSignature(known, { response, challenge, site, mustVerifyUser: false });
}

/** Checks a passkey's signature; null if it is wrong, or not for this challenge on this site. */
export async function checkSignature(
  known: typeof passkeys.$inferSelect,
  asked: Omit<PasskeyAnswer, 'token'> & { challenge: string; mustVerifyUser: boolean },
): Promise<SignedByPasskey | null> {
  const { verifyAuthenticationResponse } = await loadWebAuthn();
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: asked.response,
      expectedChallenge: asked.challenge,
      expectedOrigin: asked.site.origin,
      expectedRPID: asked.site.rpId,
      requireUserVerification: asked.mustVerifyUser,
      credential: {
        id: known.credentialId,
        publicKey: new Uint8Array(Buffer.from(known.publicKey, 'base64url')),
        counter: known.counter,
        transports: transportsFrom(known.transports),
      },
    });
    return verified ? { passkeyId: known.id, counter: authenticationInfo.newCounter } : null;
  } catch {
    // The package throws for any malformed answer, and anybody can send one.
    return null;
  }
}

/**
 * Records the use of a passkey in the caller's transaction. Returns false if it was removed meanwhile, or its
 * counter did not grow: a count that stands still means that the passkey was copied. Passkeys that do not
 * count always report 0.
 */
export async function recordPasskeyUse(
  tx: Tx,
  { userId, passkeyId, counter }: SignedByPasskey & { userId: string },
  nowMs: number,
): Promise<boolean> {
  const grew = counter === 0 ? eq(passkeys.counter, 0) : lt(passkeys.counter, counter);
  const used = await tx
    .update(passkeys)
    .set({ counter, lastUsedAtMs: nowMs })
    .where(and(eq(passkeys.id, passkeyId), eq(passkeys.userId, userId), grew))
    .returning({ id: passkeys.id });
  return used.length === 1;
}
