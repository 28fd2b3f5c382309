import { eq } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { passkeys } from '#db/schema/second-factor.ts';
import type { AccountCodeOf } from '#domain/identity/account-code.ts';
import { notifyOfChange } from '#domain/identity/notify-of-change.ts';
import { beginSecondFactor } from '#domain/identity/second-factor/begin-second-factor.ts';
import { lockSecondFactor } from '#domain/identity/second-factor/prove-second-factor.ts';
import { isLiveSession } from '#domain/identity/session/is-live-session.ts';
import { newId } from '#domain/kernel/id.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { loadWebAuthn, type NewPasskey, type PasskeySite, storedTransports } from './passkey-answer.ts';
import { takeChallenge } from './passkey-challenge.ts';

/** More passkeys than anybody has devices. */
export const MAX_PASSKEYS = 20;

interface NewOne {
  userId: string;
  currentToken: string;
  name: string;
  response: NewPasskey;
  site: PasskeySite;
}

type Code = AccountCodeOf<'passkeyRefused' | 'passkeyKnown' | 'tooManyPasskeys' | 'sessionUnknown'>;

/**
 * Adds a passkey that the browser of this session made for our challenge. A first second factor brings ten recovery codes,
 * which are returned here only, and signs other browsers out (see `beginSecondFactor`). The owner is mailed. Refused to a
 * session that ended meanwhile: a browser without the second factor must not add its own as another one is turned on.
 */
export async function registerPasskey(
  db: Database,
  { userId, currentToken, name, response, site }: NewOne,
  nowMs: number,
): Promise<Outcome<{ recoveryCodes: string[] | null }, Code>> {
  const challenge = await takeChallenge(db, { userId, token: currentToken, purpose: 'register' }, nowMs);
  const made = challenge === null ? null : await readNewPasskey(response, { challenge, site });
  if (!made) return refuse('passkeyRefused');
  return db.transaction(async (tx) => {
    const sinceMs = await lockSecondFactor(tx, userId);
    if (!(await isLiveSession(tx, { userId, token: currentToken }, nowMs))) return refuse('sessionUnknown');
    if ((await tx.$count(passkeys, eq(passkeys.userId, userId))) >= MAX_PASSKEYS)
      return refuse('tooManyPasskeys');
    if (!(await insertPasskey(tx, { userId, name, ...made }, nowMs))) return refuse('passkeyKnown');
    const recoveryCodes =
      sinceMs === null ? await beginSecondFactor(tx, { userId, currentToken }, nowMs) : null;
    await notifyOfChange(tx, { userId, change: 'passkeyAdded' }, nowMs);
    return done({ recoveryCodes });
  });
}

type Made = Pick<typeof passkeys.$inferSelect, 'credentialId' | 'publicKey' | 'counter' | 'transports'>;

async function insertPasskey(
  tx: Tx,
  passkey: Made & { userId: string; name: string },
  nowMs: number,
): Promise<boolean> {
  const inserted = await tx
    .insert(passkeys)
    .values({ id: newId(nowMs), createdAtMs: nowMs, ...passkey })
    .onConflictDoNothing({ target: passkeys.credentialId })
    .returning({ id: passkeys.id });
  return inserted.length > 0;
}

/**
 * Reads the columns of a new passkey from its answer; null if it was not made for this challenge on this
 * site.
 */
async function readNewPasskey(
  response: NewPasskey,
  { challenge, site }: { challenge: string; site: PasskeySite },
): Promise<Made | null> {
  const { verifyRegistrationResponse } = await loadWebAuthn();
  try {
    if (!(await isUncertified(response))) return null;
    const { registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: site.origin,
      expectedRPID: site.rpId,
      requireUserVerification: false,
    });
    if (!registrationInfo) return null;
    const { id: credentialId, publicKey, counter } = registrationInfo.credential;
    return {
      credentialId,
      publicKey: Buffer.from(publicKey).toString('base64url'),
      counter,
      transports: storedTransports(response.response.transports),
    };
  } catch {
    // The package throws for any malformed answer, and anybody can send one.
    return null;
  }
}

/**
 * Returns whether an answer brings no certificate. We ask for none and browsers remove them, but the package
 * would fetch the revocation list that a forged one names.
 */
async function isUncertified(response: NewPasskey): Promise<boolean> {
  const { decodeAttestationObject, isoBase64URL } = await import('@simplewebauthn/server/helpers');
  const attestation = decodeAttestationObject(isoBase64URL.toBuffer(response.response.attestationObject));
  const format = attestation.get('fmt');
  return format === 'none' || (format === 'packed' && attestation.get('attStmt').get('x5c') === undefined);
}
