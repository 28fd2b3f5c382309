import type { MiddlewareFunction } from 'react-router';
import { describe, expect, test } from 'vitest';
import routes from '#app/routes.ts';
import { member, newcomer } from './support/member.ts';
import { Visitor } from './support/visitor.ts';
import { setWeb } from './support/web.ts';

// Nothing listens on this port: pages that call the bot report that it does not answer.
await setWeb({ BOT_URL: 'http://127.0.0.1:9' });

/** The end of opening a URL: on its page, at another URL, or with a refusal. */
type End = 'page' | `/${string}` | number | 'outside';
type Row = [anonymous: End, unverified: End, verified: End];

const open: Row = ['page', 'page', 'page'];
const visitors: Row = ['page', '/dashboard', '/dashboard'];
const members: Row = ['/auth/signup', '/email/unverified', 'page'];
/** The same, if the id in the URL does not exist. */
const membersOwn: Row = ['/auth/signup', '/email/unverified', 404];
/** The same, if the action has no object. */
const membersTo = (end: End): Row => ['/auth/signup', '/email/unverified', end];

/** Every path of the product. A new route without a row here fails. */
const table: Record<string, Row> = {
  '/': open,
  '/healthz': open,
  '/metrics': [404, 404, 404],
  '/language': ['/', '/', '/'],
  '/theme': ['/', '/', '/'],
  '/captcha/challenge': open,
  '/faq': open,
  '/terms_of_service': open,
  '/privacy_policy': open,
  '/cookie_policy': open,
  '/help': open,
  '/contact_us': open,
  '/contact_us/confirm': [404, 404, 404],
  '/auth': ['/auth/signin', '/dashboard', '/dashboard'],
  '/auth/signup': visitors,
  '/auth/signin': visitors,
  '/auth/passkey': visitors,
  '/auth/second-step': ['/auth/signin?to=%2Fdashboard', '/dashboard', '/dashboard'],
  '/auth/forgot-password': visitors,
  '/auth/reset-password': visitors,
  '/auth/disown': [404, 404, 404],
  '/auth/signout': ['/auth/signup', 'page', 'page'],
  '/auth/twitch': ['/auth/signin', '/email/unverified', '/profile'],
  '/auth/twitch/callback': ['/auth/signin', '/email/unverified', '/profile'],
  '/email/verify': ['/auth/signup', 'page', '/dashboard'],
  '/email/unverified': ['/auth/signup', 'page', '/dashboard'],
  '/extension/code': ['page', '/email/unverified', 'page'],
  '/extension/success': ['/extension/failed', '/extension/failed', '/extension/failed'],
  '/extension/failed': open,
  '/device': ['page', '/email/unverified', 'page'],
  '/oauth/device_authorization': [405, 405, 405],
  '/oauth/token': [405, 405, 405],
  '/.well-known/oauth-authorization-server': open,
  '/channels/:login': [404, 404, 404],
  '/channels/:login/:ruleId': [404, 404, 404],
  '/share/:language/site.png': [404, 404, 404],
  '/share/:language/channels/:login.png': [404, 404, 404],
  '/share/:language/channels/:login/:ruleId.png': [404, 404, 404],
  '/share/:language/proof/:ruleId.png': [404, 404, 404],
  '/share/:language/proof/:ruleId/:number.png': [404, 404, 404],
  '/share/:language/wins/:id.png': [404, 404, 404],
  '/wins/:id': [404, 404, 404],
  '/overlay/events': [400, 400, 400],
  '/overlay/:secret': [404, 404, 404],
  '/dock/:secret': [404, 404, 404],
  '/.well-known/change-password': [
    '/auth/signin?to=%2Fprofile%2Fpassword',
    '/profile/password',
    '/profile/password',
  ],
  '/service-worker.js': open,
  '/robots.txt': open,
  '/sitemap.xml': open,
  '/manifest/:language.webmanifest': [404, 404, 404],
  '/sitemap/:part.xml': [404, 404, 404],
  '/c/:login': ['/channels/nobody', '/channels/nobody', '/channels/nobody'],
  '/raffle/:raffleId.json': [404, 404, 404],
  '/raffle/:raffleId': [404, 404, 404],
  '/proof/verify-draws.mjs': open,
  '/proof/:ruleId.json': [404, 404, 404],
  '/proof/:ruleId': [404, 404, 404],
  '/proof/:ruleId/:number': [404, 404, 404],
  '/dashboard': members,
  '/raffles': members,
  '/profile': members,
  '/profile/name': members,
  '/profile/email': members,
  '/profile/password': members,
  '/profile/confirm': membersTo('/profile'),
  '/profile/second-factor': members,
  '/profile/second-factor/begin': membersTo('/profile/second-factor/app'),
  '/profile/second-factor/app': members,
  '/profile/second-factor/off': membersTo('/profile/second-factor'),
  '/profile/second-factor/passkeys/new': members,
  '/profile/second-factor/passkeys/:id/remove': membersOwn,
  '/profile/second-factor/recovery-codes': membersTo('/profile/second-factor'),
  '/profile/trade-link': members,
  '/channel': members,
  '/channel/commands': members,
  '/channel/chat': membersTo('/channel'),
  '/channel/visibility': membersTo('/channel'),
  '/settings': members,
  '/settings/notifications': membersTo('/settings'),
  '/settings/push': membersTo('/settings#push'),
  '/settings/public-name': membersTo('/settings'),
  '/settings/send-delay': membersTo('/settings#send-delay'),
  '/settings/sessions/end': membersTo('/settings'),
  '/settings/sessions/:id/end': membersOwn,
  '/settings/freeze': membersTo('/settings'),
  '/settings/tokens': members,
  '/settings/tokens/:id/revoke': membersOwn,
  '/settings/export': members,
  '/settings/delete': members,
  '/steam/link': membersTo('outside'),
  '/steam/callback': membersTo('/profile'),
  '/steam/unlink': membersTo('/profile'),
  '/twitch/unlink': membersTo('/profile'),
  '/items': members,
  '/items/custody': members,
  '/items/assign': membersTo('/items/custody'),
  '/items/deposit': membersTo('/items'),
  '/items/return': members,
  '/transfers': members,
  '/billing': members,
  '/billing/checkout': membersTo('/billing'),
  '/billing/return': membersTo('/billing'),
  '/billing/portal': membersTo('/billing'),
  '/billing/change': membersOwn,
  '/billing/cancel': membersOwn,
  '/billing/resume': membersTo('/billing'),
  '/operator': [404, 404, 404],
  '/operator/stop': [404, 404, 404],
  '/operator/resume': [404, 404, 404],
  '/webhooks/stripe': [405, 405, 405],
  '/rules': members,
  '/rules/new': members,
  '/rules/dry-run': members,
  '/rules/:id': membersOwn,
  '/channel/overlay': members,
  '/channel/overlay/preview': ['/auth/signup', '/email/unverified', 404],
  '/channel/overlay/replace': membersTo('/channel/overlay'),
  '/channel/overlay/resume': members,
  '/channel/guests': members,
  '/channel/guests/:id/dismiss': membersOwn,
  '/rules/who-got-what': members,
  '/rules/who-got-what/export': ['/auth/signup', '/email/unverified', 404],
  '/rules/who-got-what/:id/stop': membersOwn,
  '/rules/:id/announce': membersOwn,
  '/rules/:id/rewards/add': membersOwn,
  '/rules/:id/rewards/remove': membersOwn,
  '/rules/:id/weights': membersOwn,
  '/rules/:id/correct': membersOwn,
  '/rules/:id/pause': membersOwn,
  '/rules/:id/resume': membersTo('/rules/0198f0a0-0000-7000-8000-000000000000'),
  '/rules/:id/delete': membersOwn,
  '/browseChannels': members,
  '/rewardProgress': members,
  '/rewardHistory': members,
  '/rewardHistory/export': ['/auth/signup', '/email/unverified', 404],
  '/rewards/:id/claim': membersOwn,
  '/wins/:id/seen': members,
  '/transfers/:id/cancel': membersOwn,
  '/events': members,
  '/ready': members,
  '/api/docs': open,
  '/api/*': [401, 'page', 'page'],
  '/sanctum/csrf-cookie': open,
  '/*': [404, 404, 404],
};

interface Entry {
  path?: string | undefined;
  index?: boolean | undefined;
  file: string;
  children?: Entry[] | undefined;
}
type Leaf = { path: string; files: string[] };

function leavesOf(entries: Entry[], files: string[] = []): Leaf[] {
  return entries.flatMap((entry) =>
    entry.children
      ? leavesOf(entry.children, [...files, entry.file])
      : [{ path: `/${entry.path ?? ''}`, files: [...files, entry.file] }],
  );
}

interface RouteModule {
  middleware?: MiddlewareFunction<Response>[];
  loader?: (args: never) => unknown;
}

const app = new URL('../../app/', import.meta.url);
const leaves = leavesOf((await routes) as Entry[]);
const id = '0198f0a0-0000-7000-8000-000000000000';
const example: Record<string, string> = { '/api/*': '/api/v1/users', '/*': '/nothing/is/here' };

const chain =
  (guards: MiddlewareFunction<Response>[]): MiddlewareFunction<Response> =>
  (args, next) =>
    guards.reduceRight<() => unknown>((inner, guard) => () => guard(args, inner as never), next)() as never;

async function endOf(visitor: Visitor, { path, files }: Leaf): Promise<End> {
  const modules = await Promise.all(
    files.map(async (file) => (await import(new URL(file, app).pathname)) as RouteModule),
  );
  const guard = chain(modules.flatMap(({ middleware = [] }) => middleware));
  // The event stream never ends; only its guard matters here.
  const loader = (path === '/events' ? null : modules.at(-1)?.loader) ?? (() => null);
  const address =
    example[path] ??
    path
      .replace(/:(id|ruleId)/, id)
      .replace(':number', '1')
      .replace(':login', 'nobody');
  const answer = await visitor.call(loader, address, {
    guard,
    params: { id, ruleId: id, number: '1', login: 'nobody', '*': address.slice(5) },
  });
  if (answer.location?.startsWith('http')) return 'outside';
  if (answer.location) return answer.location as End;
  return answer.status < 400 ? 'page' : answer.status;
}

test('Every route has a row, and every row a route', () => {
  expect(leaves.map(({ path }) => path).sort()).toEqual(Object.keys(table).sort());
});

const sessions = ['anonymous', 'unverified', 'verified'] as const;
// One of each: an hour has room for two hundred plain sign-ups.
const people = { anonymous: new Visitor(), unverified: newcomer(), verified: member() };
const personOf: Record<(typeof sessions)[number], () => Promise<Visitor>> = {
  anonymous: async () => people.anonymous,
  unverified: async () => (await people.unverified).visitor,
  verified: async () => (await people.verified).visitor,
};

describe.each(sessions)('A user who is %s', (name) => {
  const place = sessions.indexOf(name);
  test.each(leaves.map((leaf) => [leaf.path, table[leaf.path]?.[place], leaf] as const))(
    'opening %s ends at %s',
    async (_path, end, leaf) => {
      expect(await endOf(await personOf[name](), leaf)).toBe(end);
    },
  );
});
