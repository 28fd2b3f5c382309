import { afterAll, beforeAll, expect, test } from 'vitest';
import { loader as custodyLoader } from '#app/routes/items/custody.tsx';
import { action as depositAction } from '#app/routes/items/deposit.tsx';
import { loader as inventoryLoader } from '#app/routes/items/inventory.tsx';
import { database } from '#app/services/database.server.ts';
import { kindKey } from '#app/services/items/picks.server.ts';
import { newId } from '#domain/kernel/id.ts';
import { attachRewards } from '#domain/rule/attach-rewards.ts';
import { listTransfers, withAll } from '#domain/transfer/list-transfers.ts';
import {
  acceptOffer,
  addBot,
  addRule,
  addStreamer,
  asset,
  deposit,
  type Person,
  sendQueued,
} from '#tests/support/fixtures.ts';
import { assetsIn } from '#tests/support/looking.ts';
import { startFakeBot } from '../support/fake-bot.ts';
import { visitorOf } from '../support/signed-in.ts';
import { readerLike, wordsOf } from '../support/site.ts';
import { setWeb } from '../support/web.ts';

const bot = await startFakeBot();
await setWeb({ BOT_URL: bot.url });
afterAll(() => bot.stop());
const db = await database();

const KINDS = 60;
const PIECES = 50;
const ITEMS = KINDS * PIECES;

const kind = (place: number) => `Kind ${String(place).padStart(2, '0')}`;
const keyOf = (place: number) => kindKey({ appId: 730, marketHashName: kind(place) });
const rarityOf = (place: number) => (place === 42 ? 'Rarity_Ancient_Weapon' : 'Rarity_Common');
/** Three thousand items of sixty kinds. */
const manyAssets = () =>
  Array.from({ length: ITEMS }, (_, place) =>
    asset(kind(place % KINDS), { rarityTag: rarityOf(place % KINDS) }),
  );

let holder: Person;
beforeAll(async () => {
  // None so full that deposits are cut into smaller offers.
  for (let place = 0; place < 8; place++) await addBot(db);
  holder = await addStreamer(db);
  const assets = manyAssets();
  for (let from = 0; from < ITEMS; from += 100) await deposit(db, holder, assets.slice(from, from + 100));
});

/** Returns the target of the link with these words, relative to the page's own path. */
const linkIn = (html: string, words: string): string | undefined =>
  [...html.matchAll(/<a\b[^>]*href="([^"]*)"[^>]*>(.*?)<\/a>/gs)]
    .find(([, , inside = '']) => wordsOf(inside).trim() === words)?.[1]
    ?.replaceAll('&amp;', '&');

test('Three thousand items on Steam are searched, sorted, counted and turned by pages', async () => {
  const streamer = await addStreamer(db);
  const visitor = await visitorOf(streamer.userId);
  bot.inventories.set(
    streamer.steamId,
    [...manyAssets(), asset(kind(7))].map((each) => ({ ...each, tradable: true })),
  );
  const view = async (query: string) =>
    (await visitor.call(inventoryLoader, `/items${query}`)).body.inventory.view;
  const first = await view('');
  expect(first).toMatchObject({ totalPieces: ITEMS + 1, matching: KINDS });
  const rest = await view(`?after=${first.next}`);
  expect(rest.next).toBeNull();
  const names = [...first.kinds, ...rest.kinds].map(({ name }: { name: string }) => name);
  expect(names).toEqual(Array.from({ length: KINDS }, (_, place) => kind(place)));
  expect((await view('?q=kind 07')).kinds).toMatchObject([{ name: kind(7), available: PIECES + 1 }]);
  expect((await view('?order=amount')).kinds[0].name).toBe(kind(7));
  expect((await view('?order=rarity')).kinds[0].name).toBe(kind(42));

  const reader = readerLike(visitor);
  const buttonsAt = async (query: string) => {
    const { html } = await reader.open(`/items${query}`);
    const found = [...html.matchAll(/<button\b([^>]*\bname="after"[^>]*)>(.*?)<\/button>/gs)];
    return Object.fromEntries(
      found.map(([, attributes = '', words = '']) => [
        wordsOf(words).trim(),
        /\bvalue="([^"]*)"/.exec(attributes)?.[1],
      ]),
    );
  };
  expect(await buttonsAt('')).toEqual({ 'Next page': first.next });
  expect(await buttonsAt(`?after=${first.next}`)).toEqual({ 'First page': '' });
  expect((await view('?after=')).kinds[0].name).toBe(kind(0));
});

test('A deposit of more than a hundred items goes on by itself in several offers', async () => {
  const streamer = await addStreamer(db);
  const visitor = await visitorOf(streamer.userId);
  bot.inventories.set(
    streamer.steamId,
    manyAssets().map((each) => ({ ...each, tradable: true })),
  );
  const form = new URLSearchParams({ requestId: newId(Date.now()) });
  for (const place of [1, 2, 3, 4, 5]) {
    form.append('item', keyOf(place));
    form.append(`item:${keyOf(place)}`, String(PIECES));
  }
  expect(await visitor.call(depositAction, '/items/deposit', { form })).toMatchObject({ status: 302 });
  const offers = async () => withAll(db, (await listTransfers(db, { userId: streamer.userId })).rows);
  const sizes = (await offers()).map(({ items }) => items.reduce((sum, { quantity }) => sum + quantity, 0));
  expect(sizes.sort()).toEqual([100, 100, 50]);

  const accepted: string[] = [];
  for (let round = 0; round < 5; round++)
    for (const { id } of await sendQueued(db, Date.now())) {
      await acceptOffer(db, id, await assetsIn(db, id), Date.now());
      accepted.push(id);
    }
  expect(new Set(accepted).size).toBe(3);
  expect((await offers()).map(({ state }) => state)).toEqual(['accepted', 'accepted', 'accepted']);
  const { custody } = (await visitor.call(custodyLoader, '/items/custody')).body;
  expect(custody.totals.total).toBe(5 * PIECES);
});

test('Three thousand items in custody are counted, searched and turned by pages', async () => {
  const visitor = await visitorOf(holder.userId);
  const reader = readerLike(visitor);
  const list = async (query: string) =>
    (await visitor.call(custodyLoader, `/items/custody${query}`)).body.custody;
  expect((await list('')).totals.total).toBe(ITEMS);
  expect((await list('?q=KIND 33')).rows).toMatchObject([{ name: kind(33), total: PIECES }]);
  expect((await list('?order=rarity')).rows[0].name).toBe(kind(42));
  expect((await list('?order=nonsense')).rows[0].name).toBe(kind(0));
  const seen: string[] = [];
  const pages: string[] = [];
  for (let at: string | undefined = ''; at !== undefined; ) {
    pages.push(at);
    seen.push(...(await list(at)).rows.map(({ name }: { name: string }) => name));
    at = linkIn((await reader.open(`/items/custody${at}`)).html, 'Next page');
  }
  expect(seen).toEqual(Array.from({ length: KINDS }, (_, place) => kind(place)));
  expect(pages.length).toBeGreaterThan(2);
  const last = (await reader.open(`/items/custody${pages.at(-1)}`)).html;
  expect(linkIn(last, 'Previous page')).toBe(pages.at(-2));
});

test('Of thirty kinds on a rule, the first are listed, the others folded, and a search finds each', async () => {
  const ruleId = await addRule(db, holder, { name: 'Thirty kinds', rewards: 0, nowMs: Date.now() });
  const picks = Array.from({ length: 30 }, (_, place) => ({
    appId: 730,
    marketHashName: kind(place),
    traits: '',
    quantity: 2,
  }));
  const attached = await attachRewards(
    db,
    { requestId: newId(Date.now()), ruleId, userId: holder.userId, kinds: picks },
    Date.now(),
  );
  expect(attached.ok).toBe(true);
  const reader = readerLike(await visitorOf(holder.userId));
  const { html } = await reader.open(`/rules/${ruleId}`);
  const [, folded = ''] = /<details class="twin sheet__pad">(.*?)<\/details>/s.exec(html) ?? [];
  expect(wordsOf(folded)).toContain('22 more kinds');
  const namesIn = (part: string) => [...new Set(wordsOf(part).match(/Kind \d\d/g))];
  expect(namesIn(folded)).toHaveLength(22);
  const found = (await reader.open(`/rules/${ruleId}?kind=kind 29`)).html;
  expect(found).not.toContain('twin sheet__pad');
  const [, table = ''] = /<table(.*?)<\/table>/s.exec(found) ?? [];
  expect(namesIn(table)).toEqual([kind(29)]);
});
