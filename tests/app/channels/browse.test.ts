import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { action as visibilityAction } from '#app/routes/channel/visibility.ts';
import { loader as browseLoader } from '#app/routes/channels/browse.tsx';
import { loader as pageLoader } from '#app/routes/channels/channel-page.tsx';
import { loader as shortLoader } from '#app/routes/channels/short.ts';
import { action as nameAction } from '#app/routes/settings/public-name.ts';
import { database } from '#app/services/database.server.ts';
import type { Database } from '#db/database.ts';
import { channels } from '#db/schema/channel.ts';
import { users } from '#db/schema/user.ts';
import { addBot, addRule, addStreamer, type Person } from '#tests/support/fixtures.ts';
import { withoutTable } from '../support/broken-store.ts';
import { visitorOf } from '../support/signed-in.ts';
import { Visitor } from '../support/visitor.ts';
import { setWeb } from '../support/web.ts';

await setWeb();

let db: Database;
let streamer: Person;
let visitor: Visitor;
let login: string;
beforeEach(async () => {
  db = await database();
  await addBot(db);
  streamer = await addStreamer(db);
  login = `demo_channel_${streamer.twitchId}`;
  visitor = await visitorOf(streamer.userId);
  await addRule(db, streamer, { name: 'Two together', rewards: 2, claimTimeoutHours: 48 });
  await db.transaction(async (tx) => {
    const facts = { gameName: 'Counter-Strike 2', title: 'Ranked' };
    await tx.update(channels).set(facts).where(eq(channels.id, streamer.twitchId));
  });
});

const browse = async (query = '') =>
  (await visitor.call(browseLoader, `/browseChannels?q=${login}${query}`)).body;
const openPage = (name = login) =>
  new Visitor().call(pageLoader, `/channels/${name}`, { params: { login: name } });

test('A channel is found by name with what is left there, its time to claim and its art', async () => {
  const { found, filters } = await browse();
  expect(found.cards).toMatchObject([
    {
      login,
      gameName: 'Counter-Strike 2',
      freeRewards: 2,
      openRules: 1,
      minClaimHours: 48,
      maxClaimHours: 48,
      best: { name: expect.any(String), asks: { watchMinutes: expect.any(Number) } },
      pictures: [{ icon: 'icon', shape: 'container', rarity: 'base' }],
    },
  ]);
  expect(filters).toMatchObject({ search: login, state: 'both' });
});

test.each([
  ['&state=offline', 1],
  ['&state=online', 0],
  ['&type=one', 1],
  ['&type=random', 0],
  ['&game=Counter-Strike+2', 1],
  ['&game=Dota+2', 0],
  ['&state=sideways&type=none', 1],
])('The filter %s leaves %i', async (query, amount) => {
  expect((await browse(query)).found.cards).toHaveLength(amount);
});

test('Everybody may read the page of a channel, signed out and by its short address', async () => {
  const { body, status } = await openPage();
  expect(status).toBe(200);
  expect(body).toMatchObject({
    isMember: false,
    liveSeconds: null,
    address: expect.stringContaining(`/channels/${login}`),
  });
  expect(body.page).toMatchObject({
    channel: { login, title: 'Ranked' },
    offers: [{ name: 'Two together', pool: { free: 2 } }],
    empty: [],
    record: { promised: 0 },
    latest: [],
  });
  const short = await new Visitor().call(shortLoader, `/c/${login}`, {
    params: { login: login.toUpperCase() },
  });
  expect(short.location).toBe(`/channels/${login}`);
});

test('A hidden channel has no page and is not listed, until its streamer shows it again', async () => {
  const hide = await visitor.call(visibilityAction, '/channel/visibility', { form: {} });
  expect(hide).toMatchObject({ location: '/channel', toast: 'channel.saved' });
  expect((await openPage()).status).toBe(404);
  expect((await browse()).found.cards).toEqual([]);
  await visitor.call(visibilityAction, '/channel/visibility', { form: { public: 'on' } });
  expect((await openPage()).status).toBe(200);
});

test.each(['nobody_here', 'a b', '../etc'])('There is no page for %s', async (name) => {
  expect((await openPage(name)).status).toBe(404);
});

test('Viewers choose whether public pages name them', async () => {
  const hides = async () =>
    (await db.read.select().from(users).where(eq(users.id, streamer.userId)))[0]?.hidesName;
  await visitor.call(nameAction, '/settings/public-name', { form: { hides_name: 'on' } });
  expect(await hides()).toBe(true);
  await visitor.call(nameAction, '/settings/public-name', { form: {} });
  expect(await hides()).toBe(false);
});

test('When channels cannot be read, the page says so', async () => {
  const { status, body } = await withoutTable('items', () => visitor.call(browseLoader, '/browseChannels'));
  expect([status, body.found]).toEqual([503, null]);
});
