import { createCookie } from 'react-router';
import { config } from '#app/config.server.ts';
import type { LinkedAccount } from '#app/routes/extension/link-result.tsx';
import { safePath } from './safe-redirect.server.ts';

/** Where connecting an account can start, besides the profile, and where each returns to. */
const places = {
  /** The companion app: its users see the result on a page for it. */
  extension: null,
  viewer: '/dashboard?view=viewer',
  streamer: '/dashboard?view=streamer',
  channel: '/channel',
} as const;
type Origin = keyof typeof places;

const isOrigin = (name: unknown): name is Origin => typeof name === 'string' && Object.hasOwn(places, name);

/** What a sign-in that only confirms an identity is remembered by, before the page to go on with. */
const confirmation = 'confirm ';
/** The same of one that opens a session. */
const entrance = 'enter ';

// Twitch and Steam return nothing of ours, so a cookie remembers where linking started.
function originCookie() {
  return createCookie('keepsake_from', {
    path: '/',
    sameSite: 'lax',
    httpOnly: true,
    secure: config().secure,
    maxAge: 10 * 60,
  });
}

/** The Set-Cookie value that remembers where linking started, from the address. */
export async function rememberOrigin(request: Request): Promise<string> {
  const { searchParams } = new URL(request.url);
  const from = searchParams.get('from');
  if (from === 'confirm') return originCookie().serialize(confirmation + pageAfter(searchParams.get('to')));
  if (from === 'signin') return originCookie().serialize(entrance + (searchParams.get('to') ?? ''));
  return isOrigin(from) ? originCookie().serialize(from) : clearOrigin();
}

const pageAfter = (to: string | null): string => safePath(to, '/profile');

/** The Set-Cookie value that deletes it: each answer is used once. */
export const clearOrigin = (): Promise<string> => originCookie().serialize('', { maxAge: 0 });

const originOf = async (request: Request): Promise<Origin | null> => {
  const stored: unknown = await originCookie().parse(request.headers.get('Cookie'));
  return isOrigin(stored) ? stored : null;
};

/** What was remembered after this word; null if it was something else. */
async function rememberedAfter(request: Request, word: string): Promise<string | null> {
  const stored: unknown = await originCookie().parse(request.headers.get('Cookie'));
  return typeof stored === 'string' && stored.startsWith(word) ? stored.slice(word.length) : null;
}

/** The page to go on with, if this sign-in only confirms who uses the session; otherwise null. */
export async function pageAfterConfirming(request: Request): Promise<string | null> {
  const page = await rememberedAfter(request, confirmation);
  return page === null ? null : pageAfter(page);
}

/** The page to go on with after this sign-in. */
export const pageAfterEntering = async (request: Request): Promise<string> =>
  safePath(await rememberedAfter(request, entrance), '/dashboard');

/** Whether this linking started in the companion app. */
export const cameFromApp = async (request: Request): Promise<boolean> =>
  (await originOf(request)) === 'extension';

/** Where this linking started: a checklist, or the profile. */
export const placeOfOrigin = async (request: Request): Promise<string> => placeOf(await originOf(request));

/** The place behind a `from`, which anyone can have sent. */
export const placeOf = (from: unknown): string => (isOrigin(from) ? places[from] : null) ?? '/profile';

/** The page on which a linking for the companion app ends; `code` is the error, if it failed. */
export function resultPage(account: LinkedAccount, code: string | null): string {
  const query = new URLSearchParams({ account, ...(code !== null && { reason: code }) });
  const page = code === null ? 'success' : 'failed';
  return `/extension/${page}?${query}`;
}
