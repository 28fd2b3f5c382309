import { ownCookie } from '#app/http/own-cookie.server.ts';
import { SECOND_STEP_LIFETIME_MS } from '#domain/identity/session/admit-browser.ts';
import { second } from '#domain/kernel/time.ts';

// A browser between the two steps of its sign-in: it has no session, only this cookie.
const pendingCookie = () =>
  ownCookie('keepsake_second_step', { maxAge: SECOND_STEP_LIFETIME_MS / second, isSigned: true });

/** The page that asks for the second factor and leads on to `to`. */
export const secondStepPage = (to: string): string => `/auth/second-step?${new URLSearchParams({ to })}`;

/** The Set-Cookie value that remembers a sign-in which waits for its second factor. */
export const savePendingSignIn = (pendingToken: string): Promise<string> =>
  pendingCookie().serialize(pendingToken);

/** The token of this browser's sign-in that waits for its second factor, not yet validated. */
export async function pendingSignIn(request: Request): Promise<string | null> {
  const value: unknown = await pendingCookie().parse(request.headers.get('Cookie'));
  return typeof value === 'string' && value.length > 0 ? value : null;
}

/** The Set-Cookie value that deletes it. */
export const clearPendingSignIn = (): Promise<string> => pendingCookie().serialize('', { maxAge: 0 });
