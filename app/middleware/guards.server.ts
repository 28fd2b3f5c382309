import { data, type MiddlewareFunction, type RouterContextProvider, redirect } from 'react-router';
import { isOperator } from '#app/services/operator.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import type { Account } from '#domain/account/get-account.ts';
import { accountContext, confirmedContext } from './session.server.ts';

type Context = Readonly<RouterContextProvider>;

const toSignUp = () =>
  redirectWithToast('/auth/signup', { type: 'warning', title: 'errors.session.required' });

/** Returns the signed-in account, verified or not; redirects visitors to sign-up. */
export async function requireAccount(context: Context): Promise<Account> {
  const account = context.get(accountContext);
  if (!account) throw await toSignUp();
  return account;
}

/** Returns the signed-in account with a verified email. */
export async function requireVerifiedAccount(context: Context): Promise<Account> {
  const account = await requireAccount(context);
  refuseUnverified(account);
  return account;
}

/**
 * Guards acts that a stolen session must not be enough for: asks for the password, or a sign-in with Twitch,
 * if the last one was over ten minutes ago. `then` is the page to go on with; submitted data is not kept.
 */
export function requireConfirmed(context: Context, then: string): void {
  if (!context.get(confirmedContext)) throw redirect(confirmPage(then));
}

/**
 * For acts that otherwise need the password: the same for an account that has no password, and for one with a second
 * factor, where the password is not enough.
 */
export function requireMoreThanPassword(
  context: Context,
  { hasPassword, hasSecondFactor }: Pick<Account, 'hasPassword' | 'hasSecondFactor'>,
  then: string,
): void {
  if (!hasPassword || hasSecondFactor) requireConfirmed(context, then);
}

/**
 * For connecting a first Twitch account: from then on it signs in here and confirms sessions, so that a stolen session
 * would confirm itself by an account of the thief. An account that is connected proves itself.
 */
export function requireConfirmedToConnect(context: Context, account: Account | null, then: string): void {
  if (account && !account.twitch) requireConfirmed(context, then);
}

/** The page on which the owner of a frozen account ends the freeze, after a proof of who they are. */
export const freezePage = '/settings/freeze';

/** Returns the page on which users confirm who they are before they go on with `then`. */
export const confirmPage = (then: string): string => `/profile/confirm?${new URLSearchParams({ to: then })}`;

/**
 * For actions that visitors may perform too: a signed-in user with an unverified address is redirected to verify it
 * first.
 */
export function refuseUnverified(account: Account | null): void {
  if (account && !account.verified) throw redirect('/email/unverified');
}

/** Returns the operator's account. For everybody else there is no such page. */
export function requireOperator(context: Context): Account {
  const account = context.get(accountContext);
  if (!account || !isOperator(account)) throw data(null, { status: 404 });
  return account;
}

/** For pages of the operator named in the settings. */
export const operatorOnly: MiddlewareFunction<Response> = async ({ context }, next) => {
  requireOperator(context);
  return next();
};

/** For pages that need a signed-in user, verified or not. */
export const signedIn: MiddlewareFunction<Response> = async ({ context }, next) => {
  await requireAccount(context);
  return next();
};

/** For pages that need a verified address. */
export const verified: MiddlewareFunction<Response> = async ({ context }, next) => {
  await requireVerifiedAccount(context);
  return next();
};

/** For pages about an address that is not verified yet. */
export const unverified: MiddlewareFunction<Response> = async ({ context }, next) => {
  const account = await requireAccount(context);
  if (account.verified) throw redirect('/dashboard');
  return next();
};

/** For signing up and in: signed-in users are redirected to the dashboard. */
export const signedOut: MiddlewareFunction<Response> = async ({ context }, next) => {
  if (context.get(accountContext)) throw redirect('/dashboard');
  return next();
};

/** Ids are UUIDs, and a session's id is the hash of its token. */
const looksLikeId = /^[\w-]{36,43}$/;

/** A malformed id cannot exist, and PostgreSQL throws on text with a zero byte. */
export const knownIds: MiddlewareFunction<Response> = async ({ params }, next) => {
  if (params.id !== undefined && !looksLikeId.test(params.id)) throw data(null, { status: 404 });
  return next();
};
