import type {
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/server';
import { eq } from 'drizzle-orm';
import type { Database, Reader } from '#db/database.ts';
import { passkeys } from '#db/schema/second-factor.ts';
import { loadWebAuthn, type PasskeySite, transportsFrom } from './passkey-answer.ts';
import { CHALLENGE_LIFETIME_MS, issueChallenge } from './passkey-challenge.ts';

interface Asked {
  userId: string;
  /** The token of the session, or of the pending sign-in, that asks. */
  token: string;
  site: PasskeySite;
}

/** Passkeys of an account, as browsers name them. */
async function credentialsOf(q: Reader, userId: string) {
  const rows = await q
    .select({ id: passkeys.credentialId, transports: passkeys.transports })
    .from(passkeys)
    .where(eq(passkeys.userId, userId))
    .orderBy(passkeys.createdAtMs);
  return rows.map(({ id, transports }) => ({ id, transports: transportsFrom(transports) }));
}

/**
 * Asks a browser for a passkey of this account: options for WebAuthn's `get`, with a challenge for one answer within ten
 * minutes. Null if the account has no passkey.
 */
export async function askForPasskey(
  db: Database,
  { userId, token, site }: Asked,
  nowMs: number,
): Promise<PublicKeyCredentialRequestOptionsJSON | null> {
  const allowCredentials = await credentialsOf(db.read, userId);
  if (allowCredentials.length === 0) return null;
  const { generateAuthenticationOptions } = await loadWebAuthn();
  const challenge = await issueChallenge(db, { userId, token, purpose: 'prove' }, nowMs);
  return generateAuthenticationOptions({
    rpID: site.rpId,
    challenge: Buffer.from(challenge, 'base64url'),
    allowCredentials,
    userVerification: 'preferred',
    timeout: CHALLENGE_LIFETIME_MS,
  });
}

/** Asks a browser for a new passkey: options for WebAuthn's `create`, likewise. Those that exist are left out. */
export async function askForNewPasskey(
  db: Database,
  { userId, token, site, email }: Asked & { email: string },
  nowMs: number,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await loadWebAuthn();
  const challenge = await issueChallenge(db, { userId, token, purpose: 'register' }, nowMs);
  return generateRegistrationOptions({
    rpName: site.name,
    rpID: site.rpId,
    userID: new TextEncoder().encode(userId),
    userName: email,
    challenge: Buffer.from(challenge, 'base64url'),
    attestationType: 'none',
    excludeCredentials: await credentialsOf(db.read, userId),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    timeout: CHALLENGE_LIFETIME_MS,
  });
}
