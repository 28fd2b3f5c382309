import type { AuthenticationResponseJSON } from '@simplewebauthn/server';
import { and, eq, isNull } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { passkeys } from '#db/schema/second-factor.ts';
import { users } from '#db/schema/user.ts';
import { countAttempt } from '#domain/identity/access/attempts.ts';
import { hashOf } from '#domain/identity/access/secret-token.ts';
import type { AccountCodeOf } from '#domain/identity/account-code.ts';
import type { PasskeySite } from '#domain/identity/second-factor/passkeys/passkey-answer.ts';
import { CHALLENGE_LIFETIME_MS } from '#domain/identity/second-factor/passkeys/passkey-challenge.ts';
import {
  checkSignature,
  recordPasskeyUse,
} from '#domain/identity/second-factor/passkeys/read-passkey-answer.ts';
import { lockSecondFactor, type Times } from '#domain/identity/second-factor/prove-second-factor.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { type SignedInBrowser, writeSession } from './open-session.ts';

interface Answer {
  response: AuthenticationResponseJSON;
  /** The challenge that this browser was given within the last ten minutes. */
  challenge: string;
  site: PasskeySite;
}

/**
 * Signs in by a passkey alone. The device names the account and has verified its user by fingerprint, face or
 * PIN, so that possession and the user are proven at once, and no further step is asked for. Every fault gets
 * the same refusal, and a challenge is good for one answer, right or wrong.
 */
export async function signInByPasskey(
  db: Database,
  input: SignedInBrowser & Answer,
  { nowMs, systemMs }: Times,
): Promise<Outcome<{ userId: string; token: string }, AccountCodeOf<'passkeyRefused'>>> {
  const { response, challenge, site } = input;
  if (!(await spendChallenge(db, challenge, systemMs))) return refuse('passkeyRefused');
  const known = await ownerOf(db, response.id);
  if (!known || !isNamedBy(response, known.user.id)) return refuse('passkeyRefused');
  const asked = { response, challenge, site, mustVerifyUser: true };
  const signed = await checkSignature(known.passkey, asked);
  if (!signed) return refuse('passkeyRefused');
  const { id: userId } = known.user;
  return db.transaction(async (tx) => {
    await lockSecondFactor(tx, userId);
    if (!(await recordPasskeyUse(tx, { userId, ...signed }, nowMs))) return refuse('passkeyRefused');
    const { token } = await writeSession(tx, { ...input, userId, isProof: true }, nowMs);
    return done({ userId, token });
  });
}

/**
 * Marks a challenge as answered, and returns whether it was not before. The mark outlasts the time in which
 * the challenge is accepted.
 */
async function spendChallenge(db: Database, challenge: string, systemMs: number): Promise<boolean> {
  const once = { key: `passkeyChallenge:${hashOf(challenge)}`, max: 1, windowMs: 2 * CHALLENGE_LIFETIME_MS };
  return (await countAttempt(db, once, systemMs)).waitMs === 0;
}

async function ownerOf(db: Database, credentialId: string) {
  const [found] = await db.read
    .select({ passkey: passkeys, user: users })
    .from(passkeys)
    .innerJoin(users, eq(users.id, passkeys.userId))
    .where(and(eq(passkeys.credentialId, credentialId), isNull(users.deletedAtMs)));
  return found ?? null;
}

/**
 * Returns whether the device says that its passkey is this user's. WebAuthn demands this check if no user was
 * named beforehand.
 */
const isNamedBy = ({ response }: AuthenticationResponseJSON, userId: string): boolean =>
  response.userHandle === Buffer.from(userId).toString('base64url');
