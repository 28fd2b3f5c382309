import { renderToStaticMarkup } from 'react-dom/server';
import { beforeEach, expect, test } from 'vitest';
import type { ItemPicture } from '#app/components/items/item-art.tsx';
import { TranslationContext } from '#app/components/text/translation.tsx';
import { securityHeaders } from '#app/middleware/security-headers.server.ts';
import { loader as browseLoader } from '#app/routes/channels/browse.tsx';
import { ChannelCard } from '#app/routes/channels/channel-card.tsx';
import { loader as pageLoader } from '#app/routes/channels/channel-page.tsx';
import { Offer } from '#app/routes/channels/offer.tsx';
import { loader as ruleLoader } from '#app/routes/channels/rule-page.tsx';
import { loader as landingLoader } from '#app/routes/landing/landing.tsx';
import { database } from '#app/services/database.server.ts';
import { translations } from '#app/services/translations.server.ts';
import type { Database } from '#db/database.ts';
import { day } from '#domain/kernel/time.ts';
import { listFreeKinds } from '#domain/reward/list-free-kinds.ts';
import { attachRewards } from '#domain/rule/attach-rewards.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { setKindWeights } from '#domain/rule/set-kind-weights.ts';
import {
  addBot,
  addPerson,
  addRule,
  addStreamer,
  asset,
  deposit,
  type Person,
  START_MS,
} from '#tests/support/fixtures.ts';
import { watchFor } from '#tests/support/watching.ts';
import { visitorOf } from '../support/signed-in.ts';
import { Visitor } from '../support/visitor.ts';
import { setWeb } from '../support/web.ts';

await setWeb();

type Shown = Awaited<ReturnType<typeof pageLoader>>['page']['offers'][number];

let db: Database;
let streamer: Person;
let viewer: Person;
let login: string;
let ruleId: string;
beforeEach(async () => {
  db = await database();
  await addBot(db);
  [streamer, viewer] = [await addStreamer(db), await addPerson(db)];
  login = `demo_channel_${streamer.twitchId}`;
  ruleId = await addRule(db, streamer, { watchMinutes: 120, rewards: 2 });
  await watchFor(db, streamer.twitchId, [[viewer.twitchId, 3900]]);
});

const openPage = async (visitor: Visitor) =>
  (await visitor.call(pageLoader, `/channels/${login}`, { params: { login }, guard: securityHeaders })) as {
    body: Awaited<ReturnType<typeof pageLoader>>;
    headers: Headers;
  };
const openRule = (visitor: Visitor) =>
  visitor.call(ruleLoader, `/channels/${login}/${ruleId}`, { params: { login, ruleId } });
const drawn = (node: React.ReactNode) =>
  renderToStaticMarkup(<TranslationContext value={translations('en')}>{node}</TranslationContext>);

test('A viewer sees their own progress on public pages and cards, and nobody else’s', async () => {
  const other = await addPerson(db);
  const own = { [ruleId]: { standing: 'inProgress', progress: { watch: { haveSeconds: 3900 } } } };
  const visitor = await visitorOf(viewer.userId);
  const { body } = await openPage(visitor);
  expect(body.own).toMatchObject(own);
  expect((await openRule(visitor)).body.own).toMatchObject(own);
  expect((await visitor.call(browseLoader, `/browseChannels?q=${login}`)).body.found.own).toMatchObject(own);
  expect((await visitor.call(landingLoader, '/')).body.featured.own).toMatchObject(own);
  const [rule] = body.page.offers;
  expect(drawn(<Offer rule={rule!} own={body.own[ruleId]} />)).toMatch(/1 h 5 min<\/b> .*of .*2 h/);
  const others = await openPage(await visitorOf(other.userId));
  expect(others.body.own).toMatchObject({ [ruleId]: { progress: { watch: { haveSeconds: 0 } } } });
});

test('Visitors and the rule’s owner see none', async () => {
  for (const visitor of [new Visitor(), await visitorOf(streamer.userId)]) {
    expect((await openPage(visitor)).body.own).toEqual({});
    expect((await openRule(visitor)).body.own).toEqual({});
  }
  expect((await new Visitor().call(landingLoader, '/')).body.featured.own).toEqual({});
});

test('A page with somebody’s own progress is stored nowhere', async () => {
  const cachingOf = async (visitor: Visitor) => (await openPage(visitor)).headers.get('Cache-Control');
  expect(await cachingOf(await visitorOf(viewer.userId))).toBe('no-store');
  expect(await cachingOf(new Visitor())).toBe('private, no-cache');
});

test('A card shows progress once there is some, and a promise in words', async () => {
  const shown = async (person: Person) => {
    const visitor = await visitorOf(person.userId);
    const { found } = (await visitor.call(browseLoader, `/browseChannels?q=${login}`)).body;
    return drawn(<ChannelCard channel={found.cards[0]} own={found.own} />);
  };
  const card = await shown(viewer);
  expect(card).toContain('Your watch time');
  expect(card).toContain('Counted since 5 Jan');
  const [, heading] = /<article class="channel" aria-labelledby="([^"]+)">/.exec(card) ?? [];
  expect(card).toContain(`<h2 id="${heading}">`);
  const newcomer = await addPerson(db);
  expect(await shown(newcomer)).not.toContain('Your watch time');
  await watchFor(db, streamer.twitchId, [[viewer.twitchId, 7200]]);
  await evaluateChannel(db, streamer.twitchId, START_MS);
  const promised = await shown(viewer);
  expect(promised).toContain('Ready to claim');
  expect(promised).not.toContain('Your watch time');
});

test('A random rule with the rarest item stands first, names its kinds with their chances, and counts the others', async () => {
  const rarities = ['Common', 'Rare', 'Mythical', 'Legendary', 'Ancient', 'Contraband'];
  const random = await addRule(db, streamer, { type: 'random', rewards: 0, nowMs: START_MS + 1 });
  const assets = rarities.map((rarity) => asset(`Demo ${rarity}`, { rarityTag: `Rarity_${rarity}` }));
  const named = asset('Demo Ancient', { rarityTag: 'Rarity_Ancient', traits: "Name Tag: ''Demo''" });
  await deposit(db, streamer, [...assets, named], START_MS - 8 * day);
  const kinds = [...assets, named].map(({ appId, marketHashName, traits }) => ({
    ...{ appId, marketHashName, quantity: 1 },
    ...(traits !== undefined && { traits }),
  }));
  await attachRewards(db, { ruleId: random, userId: streamer.userId, kinds }, START_MS + 1);
  const weights = [{ appId: 730, marketHashName: 'Demo Contraband', weight: 4 }];
  await setKindWeights(db, { ruleId: random, userId: streamer.userId, weights }, START_MS + 1);
  await addRule(db, streamer, { rewards: 1, nowMs: START_MS + 2 });
  const { body } = await openPage(new Visitor());
  const [rule, ...commoner] = body.page.offers as [Shown, Shown, Shown];
  expect([rule.id, commoner[1].id]).toEqual([random, ruleId]);
  expect(rule.kinds.map(({ name, chance }) => [name, chance])).toEqual([
    ['Demo Contraband', 0.4],
    ['Demo Ancient', 0.2],
    ['Demo Legendary', 0.1],
    ['Demo Mythical', 0.1],
  ]);
  expect(rule.unnamed).toEqual({ count: 2, chance: 0.2, isPart: false });
  const html = drawn(<Offer rule={rule} own={undefined} />);
  expect(html).toContain('2 more kinds');
  expect(html).toContain('40%');
  expect(html).toContain(`/proof/${random}`);
  const inOrder = drawn(<Offer rule={commoner[1]} own={undefined} />);
  expect(inOrder).not.toContain('%');
});

test('Of rewards in order, kinds that are not named are counted, and among many as at least so many', async () => {
  const names = ['Demo ant', 'Demo bee', 'Demo cat', 'Demo dog', 'Demo eel', 'Demo fox'];
  const ordered = await addRule(db, streamer, { rewards: 0, nowMs: START_MS + 1 });
  const attach = async (marketHashName: string, quantity: number) => {
    const assets = Array.from({ length: quantity }, () => asset(marketHashName));
    await deposit(db, streamer, assets, START_MS - 8 * day);
    const kinds = [{ appId: 730, marketHashName, quantity }];
    await attachRewards(db, { ruleId: ordered, userId: streamer.userId, kinds }, START_MS + 1);
  };
  const shown = async () =>
    (await openPage(new Visitor())).body.page.offers.find(({ id }) => id === ordered) as Shown;
  for (const name of names) await attach(name, 1);
  const few = await shown();
  expect(few.kinds.map(({ name }) => name)).toEqual(names.slice(0, 4));
  expect(drawn(<Offer rule={few} own={undefined} />)).toContain('>2 more kinds<');
  await attach('Demo gnu', 7);
  expect(drawn(<Offer rule={await shown()} own={undefined} />)).toContain('>At least 3 more kinds<');
});

test('Stacks of different amounts, and items of one name in two games, have chances and cards of their own', async () => {
  const random = await addRule(db, streamer, { type: 'random', rewards: 0, nowMs: START_MS + 1 });
  const gems = (amount: number, rarityTag: string) =>
    asset('Demo Gems', {
      classId: '753',
      name: `Gems × ${amount}`,
      traits: `× ${amount}`,
      amount,
      rarityTag,
    });
  const assets = [
    gems(500, 'Rarity_Contraband'),
    gems(100, 'Rarity_Ancient'),
    asset('Demo Mug', { rarityTag: 'Rarity_Legendary' }),
    asset('Demo Mug', { appId: 440, rarityTag: 'Rarity_Rare' }),
  ];
  for (const each of assets) await deposit(db, streamer, [each], START_MS - 8 * day);
  const kinds = assets.map(({ appId, marketHashName, traits }) => ({
    ...{ appId, marketHashName, quantity: 1 },
    ...(traits !== undefined && { traits }),
  }));
  await attachRewards(db, { ruleId: random, userId: streamer.userId, kinds }, START_MS + 1);
  const weights = [{ appId: 730, marketHashName: 'Demo Gems', traits: '× 100', weight: 5 }];
  await setKindWeights(db, { ruleId: random, userId: streamer.userId, weights }, START_MS + 1);
  const [rule] = (await openPage(new Visitor())).body.page.offers;
  expect(rule?.kinds.map(({ name, chance }) => [name, chance])).toEqual([
    ['Gems × 500', 0.125],
    ['Gems × 100', 0.625],
    ['Demo Mug', 0.125],
    ['Demo Mug', 0.125],
  ]);
  expect(new Set(rule?.kinds.map(({ key }) => key)).size).toBe(4);
  const { found } = (await (await visitorOf(viewer.userId)).call(browseLoader, `/browseChannels?q=${login}`))
    .body;
  expect(found.cards[0]?.pictures.map(({ rarity }: ItemPicture) => rarity)).toEqual([
    'contraband',
    'covert',
    'classified',
  ]);
  const free = await listFreeKinds(db, [streamer.twitchId]);
  expect(free.filter(({ ruleId }) => ruleId === random)).toHaveLength(4);
});

test('Marks stand for one reward each, and where they are too many for that, the page says so', async () => {
  const { body } = await openPage(new Visitor());
  const [rule] = body.page.offers;
  const withPool = (claimed: number, free: number) =>
    drawn(<Offer rule={{ ...rule!, pool: { ...rule!.pool, claimed, free } }} own={undefined} />);
  const marksIn = (html: string, state = '\\w+') => html.match(new RegExp(`cell--${state}"`, 'g'))?.length;
  const few = withPool(81, 39);
  expect([marksIn(few), marksIn(few, 'free')]).toEqual([120, 39]);
  expect(few).not.toContain('a mark stands for several');
  const many = withPool(119, 2);
  expect(many).toContain('aria-label="119 delivered, 2 free"');
  expect(many).toContain('2 of 121 left.');
  expect(many).toContain('a mark stands for several');
  expect(marksIn(withPool(4999, 1), 'free')).toBe(1);
});
