import { randomBytes } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { beforeEach, describe, expect, test } from 'vitest';
import { loader as rulePageLoader } from '#app/routes/channels/rule-page.tsx';
import { loader as channelLoader } from '#app/routes/share/channel-picture.ts';
import { loader as ruleLoader } from '#app/routes/share/rule-picture.ts';
import { loader as siteLoader } from '#app/routes/share/site-picture.ts';
import { loader as robotsLoader } from '#app/routes/site/robots.ts';
import { loader as sitemapLoader } from '#app/routes/site/sitemap.ts';
import { loader as partLoader } from '#app/routes/site/sitemap-part.ts';
import { database } from '#app/services/database.server.ts';
import { channelPicture, rulePicture } from '#app/services/share/channel-pictures.server.ts';
import { drawPicture } from '#app/services/share/draw-picture.server.ts';
import { drawable, drawableName } from '#app/services/share/drawable.ts';
import { imageOf } from '#app/services/share/item-images.server.ts';
import { sitePicture } from '#app/services/share/site-picture.server.ts';
import type { Database } from '#db/database.ts';
import { channels } from '#db/schema/channel.ts';
import { setChannelHidden } from '#domain/channel/channel-visibility.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { addBot, addPerson, addRule, addStreamer, type Person, START_MS } from '#tests/support/fixtures.ts';
import { watchFor } from '#tests/support/watching.ts';
import { Visitor } from './support/visitor.ts';
import { setWeb } from './support/web.ts';

await setWeb({ STEAM_IMAGE_URL: 'http://127.0.0.1:9/images/' });

let db: Database;
let streamer: Person;
let login: string;
let ruleId: string;
beforeEach(async () => {
  db = await database();
  await addBot(db);
  streamer = await addStreamer(db);
  login = `demo_channel_${streamer.twitchId}`;
  ruleId = await addRule(db, streamer, { name: 'Ten hours together', rewards: 3 });
});

const hide = () => setChannelHidden(db, { userId: streamer.userId, hidden: true }, START_MS);
const isPng = (bytes: Uint8Array) =>
  Buffer.from(bytes.slice(0, 8)).toString('latin1') === '\x89PNG\r\n\x1a\n';

test('A channel’s picture says what is left, in both languages', async () => {
  expect(await channelPicture(db, login, 'en')).toMatchObject({
    layout: 'wide',
    amount: '<b>3</b> rewards left in 1 rule',
    items: [{ shape: 'container', rarity: 'base' }],
  });
  expect((await channelPicture(db, login, 'ru'))?.amount).toBe('Осталось <b>3</b> награды в 1 правиле');
});

test('A rule’s picture has one cell for each reward, and its conditions in words', async () => {
  expect(await rulePicture(db, { login, ruleId }, 'en')).toMatchObject({
    layout: 'side',
    title: 'Ten hours together',
    amount: '<b>3 of 3</b> left',
    cells: ['free', 'free', 'free'],
    lines: [{ icon: 'clock', text: expect.stringMatching(/^Watch /) }],
  });
});

test('A rule out of rewards shows what it gave last, and nothing if it never had any', async () => {
  const pictured = async (id: string) => (await rulePicture(db, { login, ruleId: id }, 'en'))?.items;
  expect(await pictured(await addRule(db, streamer, { rewards: 0 }))).toEqual([]);
  const viewer = await addPerson(db);
  const given = await addRule(db, streamer, { rewards: 1 });
  await watchFor(db, streamer.twitchId, [[viewer.twitchId, 3600]]);
  await evaluateChannel(db, streamer.twitchId, START_MS);
  expect(await rulePicture(db, { login, ruleId: given }, 'en')).toMatchObject({
    amount: '<b>0 of 1</b> left',
    items: [{ shape: 'container', rarity: 'base' }],
  });
});

test('A hidden channel has no pictures and no page of a rule', async () => {
  await hide();
  expect(await channelPicture(db, login, 'en')).toBeNull();
  const params = { language: 'en', login, ruleId };
  expect((await new Visitor().call(ruleLoader, '/share', { params })).status).toBe(404);
  expect((await new Visitor().call(rulePageLoader, '/channels', { params })).status).toBe(404);
});

test('The page of a rule that is not there leads to its channel', async () => {
  const params = { login, ruleId: '0198f0a0-0000-7000-8000-000000000000' };
  const { location } = await new Visitor().call(rulePageLoader, '/channels', { params });
  expect(location).toBe(`/channels/${login}`);
  const found = await new Visitor().call(rulePageLoader, '/channels', { params: { login, ruleId } });
  expect(found.body).toMatchObject({ found: { rule: { id: ruleId, pool: { free: 3 } } } });
});

test('A picture is a PNG that a client with its version does not get again, until it changes', async () => {
  const params = { language: 'en', login };
  const visitor = new Visitor();
  const ask = (etag?: string) =>
    visitor.call(channelLoader, '/share', {
      params,
      headers: etag ? { 'If-None-Match': etag } : {},
    });
  const first = await ask();
  expect(first.headers.get('Content-Type')).toBe('image/png');
  expect(first.headers.get('Cross-Origin-Resource-Policy')).toBe('cross-origin');
  expect(Number(first.headers.get('Content-Length'))).toBeGreaterThan(1000);
  const version = first.headers.get('ETag') ?? '';
  expect((await ask(version)).status).toBe(304);
  await addRule(db, streamer, { rewards: 1 });
  const later = await ask(version);
  expect(later.status).toBe(200);
  expect(later.headers.get('ETag')).not.toBe(version);
});

test('An unknown language, an unknown channel and a zero byte have no picture', async () => {
  for (const params of [
    { language: 'xx', login },
    { language: 'en', login: 'nobody_here' },
    { language: 'en', login: 'a\0b' },
  ])
    expect((await new Visitor().call(channelLoader, '/share', { params })).status).toBe(404);
  const params = { language: 'en', login, ruleId: `${ruleId}\0` };
  expect((await new Visitor().call(ruleLoader, '/share', { params })).status).toBe(404);
  expect((await new Visitor().call(siteLoader, '/share', { params: { language: 'ru' } })).status).toBe(200);
});

describe('The picture of an item', () => {
  const icon = () => randomBytes(24).toString('hex');
  const png = { headers: { 'Content-Type': 'image/png' } };
  const asked: string[] = [];
  const answer =
    (response: () => Response): typeof fetch =>
    async (address, init) => {
      asked.push(String(address));
      expect(init).toMatchObject({ redirect: 'error', signal: expect.any(AbortSignal) });
      return response();
    };

  test('comes from the configured host, once', async () => {
    const name = icon();
    const read = answer(() => new Response('bytes', png));
    expect(String(await imageOf(name, read))).toBe('bytes');
    await imageOf(name, read);
    expect(asked).toEqual([`http://127.0.0.1:9/images/${name}`]);
  });

  test('cannot lead anywhere else', async () => {
    const never: typeof fetch = () => Promise.reject(new Error('it was asked'));
    for (const name of ['../../etc/passwd', '//example.org/a', 'http://example.org/a', 'a'.repeat(600), ''])
      expect(await imageOf(name, never)).toBeNull();
  });

  test('is missing if it is too large, no picture, or refused', async () => {
    const faults = [
      new Response(new Uint8Array(600 * 1024), png),
      new Response('<svg/>', { headers: { 'Content-Type': 'image/svg+xml' } }),
      new Response('', { ...png, status: 404 }),
    ];
    for (const fault of faults)
      expect(
        await imageOf(
          icon(),
          answer(() => fault),
        ),
      ).toBeNull();
  });

  test('is asked for again a minute after it failed', async () => {
    const name = icon();
    let nowMs = 0;
    const clock = () => nowMs;
    const refused = answer(() => new Response('', { status: 503 }));
    expect(await imageOf(name, refused, clock)).toBeNull();
    const works = answer(() => new Response('bytes', png));
    expect(await imageOf(name, works, clock)).toBeNull();
    nowMs = 61_000;
    expect(String(await imageOf(name, works, clock))).toBe('bytes');
  });

  test('is drawn by its type if it is missing or broken', async () => {
    const item = { icon: icon(), rarity: 'covert', shape: 'rifle' } as const;
    const picture = { ...sitePicture('en'), items: [item] };
    for (const bytes of [null, Buffer.from('no picture')]) {
      const drawn = await drawPicture(picture, async () => bytes);
      expect({ png: isPng(drawn.png), whole: drawn.whole }).toEqual({ png: true, whole: false });
    }
    const own = (await drawPicture(sitePicture('en'), async () => null)).png;
    expect((await drawPicture(picture, async () => own)).whole).toBe(true);
  });
});

test('Signs that no font has are left out, and a name that loses some gives way to the login', () => {
  expect(drawable('Ночь 🎉 с 日本 «Ножом» ™')).toBe('Ночь с «Ножом» ™');
  expect(drawableName('日本チャンネル', 'nihon')).toBe('nihon');
  expect(drawableName('Nordwind', 'nordwind')).toBe('Nordwind');
});

test('The sitemap has the pages and the channels that are not hidden; crawlers are told where it is', async () => {
  const part = async (name: string) => new Visitor().call(partLoader, '/sitemap', { params: { part: name } });
  const own = `<loc>http://localhost:3000/channels/${login}</loc>`;
  expect((await new Visitor().call(sitemapLoader, '/sitemap.xml')).text).toContain('/sitemap/channels.xml');
  expect((await part('channels')).text).toContain(own);
  expect((await part('pages')).text).toContain('<loc>http://localhost:3000/faq</loc>');
  expect((await part(`channels-${streamer.twitchId}`)).text).not.toContain(own);
  await hide();
  expect((await part('channels')).text).not.toContain(own);
  expect((await part('users')).status).toBe(404);
  const { text } = await new Visitor().call(robotsLoader, '/robots.txt');
  expect(text).toContain('Sitemap: http://localhost:3000/sitemap.xml');
  expect(text).toContain('Disallow: /auth/\n');
  expect(text).toContain('Allow: /auth/signin\n');
  expect(text).not.toContain('/share');
});

test('A channel without a rule is in no sitemap', async () => {
  const other = await addStreamer(db);
  const [row] = await db.read.select().from(channels).where(eq(channels.id, other.twitchId));
  const { text } = await new Visitor().call(partLoader, '/sitemap', { params: { part: 'channels' } });
  expect(row).toBeDefined();
  expect(text).not.toContain(`/channels/${row?.login}<`);
});
