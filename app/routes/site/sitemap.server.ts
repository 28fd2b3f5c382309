import { config } from '#app/config.server.ts';
import type { Database } from '#db/database.ts';
import { listLoginParts, listPublicLogins } from '#domain/channel/list-public-logins.ts';
import { hour } from '#domain/kernel/time.ts';

/** Pages that everyone may read and that should be found. */
const pages = [
  '/',
  '/faq',
  '/contact_us',
  '/terms_of_service',
  '/privacy_policy',
  '/cookie_policy',
  '/api/docs',
];

/**
 * Pages without anything to find: pages of accounts, which send visitors to sign up, and steps of a process.
 */
const unlisted = [
  '/api/v1/',
  '/auth/',
  '/billing',
  '/browseChannels',
  '/captcha/',
  '/channel$',
  '/channel/',
  '/contact_us/',
  '/device',
  '/email/',
  '/events',
  '/extension/',
  '/items',
  '/profile',
  '/rewardHistory',
  '/rewardProgress',
  '/rewards/',
  '/rules',
  '/settings',
  '/steam/',
  '/transfers',
  '/twitch/',
];

/** The ways in are found, though they stand among steps of a process. */
const listed = ['/auth/signin', '/auth/signup'];

const address = (path: string): string => new URL(path, config().publicUrl).href;

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** A document of sitemaps.org: `urlset` lists pages, `sitemapindex` lists other documents. */
function xml(kind: 'urlset' | 'sitemapindex', paths: readonly string[]): string {
  const element = kind === 'urlset' ? 'url' : 'sitemap';
  const lines = paths.map((path) => `<${element}><loc>${escaped(address(path))}</loc></${element}>`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<${kind} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${lines.join('\n')}
</${kind}>
`;
}

const HEADERS = { 'Cache-Control': 'public, max-age=3600' };

export const xmlResponse = (document: string): Response =>
  new Response(document, { headers: { ...HEADERS, 'Content-Type': 'application/xml; charset=utf-8' } });

/** The rules for crawlers. Pictures of links are not excluded: crawlers that show links respect these rules too. */
export function robots(): Response {
  const lines = [
    'User-agent: *',
    ...unlisted.map((path) => `Disallow: ${path}`),
    ...listed.map((path) => `Allow: ${path}`),
    '',
    `Sitemap: ${address('/sitemap.xml')}`,
  ];
  return new Response(`${lines.join('\n')}\n`, {
    headers: { ...HEADERS, 'Content-Type': 'text/plain; charset=utf-8' },
  });
}

let known: { parts: string[]; until: number } | null = null;

/** The list of sitemaps: one of pages, and one for each thousand channels, built once an hour. */
export async function sitemapIndex(db: Database): Promise<string> {
  if (!known || known.until < performance.now())
    known = { parts: await listLoginParts(db), until: performance.now() + hour };
  return xml('sitemapindex', [
    '/sitemap/pages.xml',
    ...known.parts.map((after) => `/sitemap/${after === '' ? 'channels' : `channels-${after}`}.xml`),
  ]);
}

/** One sitemap by its name; null if there is none. */
export async function sitemapPart(db: Database, name: string): Promise<string | null> {
  if (name === 'pages') return xml('urlset', pages);
  const found = /^channels(?:-(\w{1,40}))?$/.exec(name);
  if (!found) return null;
  const logins = await listPublicLogins(db, found[1] ?? '');
  return xml(
    'urlset',
    logins.map((login) => `/channels/${encodeURIComponent(login)}`),
  );
}
