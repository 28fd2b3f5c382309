import type { RouterContextProvider } from 'react-router';
import { clientAddressContext } from '#app/middleware/contexts.server.ts';
import { accountContext, confirmedContext, sessionReplacedContext } from '#app/middleware/session.server.ts';
import { sessionOf } from '#app/services/sign-in/credential-check.server.ts';
import type { Database } from '#db/database.ts';
import { type Account, getAccount } from '#domain/account/get-account.ts';
import { findApiToken } from '#domain/identity/access/find-api-token.ts';
import type { Credential } from '#domain/identity/session/filter-valid-credentials.ts';
import { provesOwnPage } from './csrf.server.ts';
import type { Access, Proof } from './endpoint.ts';
import { isExtension } from './extension-origin.ts';
import { failWith } from './failure.ts';
import { admitCaller } from './limits.server.ts';

export interface Caller {
  account: Account | null;
  proof: Proof;
}

/** Identifies the caller. An invalid token is refused even if there is a valid cookie, so that its owner notices. */
export async function identifyCaller(
  request: Request,
  context: Readonly<RouterContextProvider>,
  db: Database,
  nowMs: number,
): Promise<Caller> {
  const header = request.headers.get('Authorization');
  if (header === null) {
    const account = context.get(accountContext);
    return { account, proof: { by: account ? 'cookie' : 'none' } };
  }
  const [, token] = header.match(/^Bearer +(\S+)$/i) ?? [];
  const found = token ? await findApiToken(db, { token }, nowMs) : null;
  const account = found && (await getAccount(db, found));
  // Guesses count against the network address; a valid token from the same address still works.
  if (!account) await admitCaller(context.get(clientAddressContext));
  if (!account) throw failWith('badToken', { header: 'Authorization' }, { 'WWW-Authenticate': 'Bearer' });
  return { account, proof: { by: 'token', tokenId: found.tokenId } };
}

/** Returns whether the caller's session was confirmed within the last ten minutes; a token never is. */
export const isConfirmedCall = ({
  context,
  proof,
}: {
  context: Readonly<RouterContextProvider>;
  proof: Proof;
}): boolean => proof.by === 'cookie' && context.get(confirmedContext);

/**
 * Returns the credential, such as a session, that must stay valid for the caller to keep access; null for an
 * anonymous call.
 */
export const credentialOf = async (
  proof: Proof,
  request: Request,
  userId: string,
): Promise<Credential | null> =>
  proof.by === 'token' ? { by: 'token', id: proof.tokenId, userId } : sessionOf(request, userId);

/** Refuses a mutating call unless it comes from our own page or carries a token. */
export async function requireOwnCall(request: Request, { proof }: Caller): Promise<void> {
  // Browsers never add a token by themselves, so the request cannot be forged by another site.
  if (proof.by === 'token' || (await provesOwnPage(request))) return;
  // A request without cookies is a stranger's, and whatever it does, anybody could do.
  if (isExtension(request) && !request.headers.has('Cookie')) return;
  throw failWith('csrfMismatch', { header: 'X-XSRF-TOKEN' });
}

/**
 * Refuses a caller without access; the refusal says whether to sign in, to call again with the session's new cookie, or to
 * verify the email.
 */
export function requireAccess(
  access: Access,
  { account }: Caller,
  context: Readonly<RouterContextProvider>,
): void {
  if (access === 'anyone') return;
  if (!account) throw failWith(context.get(sessionReplacedContext) ? 'sessionReplaced' : 'unauthorized');
  if (access === 'verified' && !account.verified) throw failWith('unverified');
}
