import { createCookie, redirect } from 'react-router';
import { config } from '#app/config.server.ts';
import type { LinkedAccount } from '#app/routes/extension/link-result.tsx';

/** What the companion app writes into the address when it sends a person here to link an account. */
const marker = 'extension';

// The way through Twitch or Steam carries nothing of ours back, so the browser remembers where it began.
function originCookie() {
  return createCookie('keepsake_from', {
    path: '/',
    sameSite: 'lax',
    httpOnly: true,
    secure: config().secure,
    maxAge: 10 * 60,
  });
}

/** The Set-Cookie value that remembers, at the start of linking, whether the companion app asked for it. */
export async function rememberOrigin(request: Request): Promise<string> {
  const fromApp = new URL(request.url).searchParams.get('from') === marker;
  return fromApp ? originCookie().serialize(marker) : clearOrigin();
}

/** The Set-Cookie value that forgets it: one answer ends one way. */
export const clearOrigin = (): Promise<string> => originCookie().serialize('', { maxAge: 0 });

/** Whether the linking that ends here was begun by the companion app. */
export const cameFromApp = async (request: Request): Promise<boolean> =>
  (await originCookie().parse(request.headers.get('Cookie'))) === marker;

/** Ends a linking on the page that tells the companion app's user how it went; `code` says why it failed. */
export function redirectToResult(account: LinkedAccount, code: string | null, headers: Headers): Response {
  const query = new URLSearchParams({ account, ...(code !== null && { reason: code }) });
  const page = code === null ? 'success' : 'failed';
  return redirect(`/extension/${page}?${query}`, { headers });
}
