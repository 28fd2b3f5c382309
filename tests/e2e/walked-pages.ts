import { matchRoutes } from 'react-router';
import routes from '#app/routes.ts';

/**
 * The person who opens a page in the walk. `both` is the streamer, on pages that a streamer shares with
 * viewers; `unverified` has not opened the link in the first mail; `unconfirmed` signed in a while ago;
 * `halfway` gave a password and not yet the code of an app; `guarded` gave both, and froze the account
 * before; `halted` is the operator of an instance that does not send.
 */
export type Walker =
  | 'signedOut'
  | 'viewer'
  | 'streamer'
  | 'both'
  | 'unverified'
  | 'unconfirmed'
  | 'halfway'
  | 'guarded'
  | 'operator'
  | 'halted';

/** By the beginning of a page's path; the longest one that fits decides. A page without a walker fails a test. */
const walkers: Record<string, Walker> = {
  '/': 'signedOut',
  '/*': 'signedOut',
  '/faq': 'signedOut',
  '/terms_of_service': 'signedOut',
  '/privacy_policy': 'signedOut',
  '/cookie_policy': 'signedOut',
  '/help': 'signedOut',
  '/contact_us': 'signedOut',
  '/auth': 'signedOut',
  '/auth/second-step': 'halfway',
  '/channels': 'signedOut',
  '/proof': 'signedOut',
  '/api/docs': 'signedOut',
  '/email': 'unverified',
  '/profile/confirm': 'unconfirmed',
  '/auth/signout': 'viewer',
  '/dashboard': 'viewer',
  '/browseChannels': 'viewer',
  '/rewardProgress': 'viewer',
  '/rewardHistory': 'viewer',
  '/rewards': 'viewer',
  '/wins': 'viewer',
  '/profile': 'viewer',
  '/profile/second-factor/off': 'guarded',
  '/profile/second-factor/passkeys': 'guarded',
  '/profile/second-factor/recovery-codes': 'guarded',
  '/steam': 'viewer',
  '/twitch': 'viewer',
  '/extension': 'viewer',
  '/device': 'viewer',
  '/items': 'streamer',
  '/raffles': 'streamer',
  '/raffle': 'signedOut',
  '/rules': 'streamer',
  '/transfers': 'streamer',
  '/billing': 'streamer',
  '/settings': 'both',
  '/settings/freeze': 'guarded',
  '/channel': 'both',
  '/operator': 'operator',
  '/operator/resume': 'halted',
};

/** The same pages with other content, or for somebody else. */
const furtherAddresses: Partial<Record<Walker, readonly string[]>> = {
  streamer: ['/dashboard?view=streamer', '/rules?tab=closed'],
  both: ['/dashboard', '/rewardProgress', '/transfers?open='],
  viewer: ['/transfers', '/device?user_code=BCDF-GHJK'],
  signedOut: [
    ...['/auth/reset-password', '/auth/disown', '/contact_us/confirm', '/channels/nobody_here'],
    '/device?user_code=BCDF-GHJK',
  ],
  halfway: ['/auth/second-step?recovery'],
  guarded: ['/profile/second-factor', '/profile/second-factor/off?recovery'],
  halted: ['/operator'],
};

/** Static pages with nothing to show unless a link brings a query. */
const queried: ReadonlySet<string> = new Set([
  '/auth/disown',
  '/auth/reset-password',
  '/contact_us/confirm',
  '/email/verify',
  '/items/deposit',
  '/items/return',
  '/billing/change',
  '/billing/cancel',
]);

/** Static pages that need a query which no link has. */
const addressed: Record<string, string> = {
  '/extension/success': '/extension/success?account=steam',
  '/extension/failed': '/extension/failed?account=twitch&reason=denied',
  '/*': '/nothing/is/here',
};

/**
 * Addresses that are walked to see the answer for a missing page, channel or message. Every other page
 * answers 200.
 */
const missing: ReadonlySet<string> = new Set([
  '/nothing/is/here',
  '/channels/nobody_here',
  '/contact_us/confirm',
  '/auth/disown',
]);

/** The status with which a walked page is meant to answer. */
export const statusOf = (address: string): number => (missing.has(address) ? 404 : 200);

interface Entry {
  path?: string | undefined;
  file: string;
  children?: Entry[] | undefined;
}

/** Only pages have components: the other routes answer with files, events and redirects. */
const isPage = ({ file }: Entry) => file.endsWith('.tsx');

const leavesOf = (entries: readonly Entry[]): Entry[] =>
  entries.flatMap((entry) => (entry.children ? leavesOf(entry.children) : [entry]));

const leaves = leavesOf((await routes) as Entry[]);
const matchable = leaves.map(({ path = '' }) => ({ path: `/${path}` }));

/** The paths of all pages that are walked, as the routes name them. */
export const pagePaths: readonly string[] = leaves.filter(isPage).map(({ path = '' }) => `/${path}`);

export const walkerPaths: readonly string[] = Object.keys(walkers);

const beginsWith = (path: string, start: string) => path === start || path.startsWith(`${start}/`);

/** Returns who opens the page with this path; undefined if nobody does. */
export function walkerOf(path: string): Walker | undefined {
  const [longest] = walkerPaths
    .filter((start) => beginsWith(path, start))
    .sort((one, other) => other.length - one.length);
  return longest === undefined ? undefined : walkers[longest];
}

/** The path of the route that serves an address, as the routes name it. */
export const routeOf = (address: string): string | undefined =>
  matchRoutes(matchable, new URL(address, 'http://localhost').pathname)?.[0]?.route.path;

/** The pages of one walker: addresses known beforehand, and routes whose address only a link knows. */
export interface Tour {
  addresses: readonly string[];
  byLink: readonly string[];
}

export function tourOf(walker: Walker): Tour {
  const own = pagePaths.filter((path) => walkerOf(path) === walker);
  const isLinked = (path: string) => path.includes(':') || queried.has(path);
  return {
    addresses: [
      ...own.filter((path) => !isLinked(path)).map((path) => addressed[path] ?? path),
      ...(furtherAddresses[walker] ?? []),
    ],
    byLink: own.filter(isLinked),
  };
}
