import { expect, onTestFinished, test } from 'vitest';
import { kindKey } from '#app/services/items/picks.server.ts';
import { build } from '#bot/server.ts';
import { newId } from '#domain/kernel/id.ts';
import counterStrike from '#sandbox/data/steam-inventory-730.json' with { type: 'json' };
import type { ItemKind } from '#sandbox/steam/state.ts';
import { itemsOf, type SteamStage, setSteamStage, startBot, transferIn } from '#tests/support/steam-stage.ts';
import { type Page, type Reader, readerOf } from '../support/site.ts';
import { setWebEnvironment } from '../support/web-environment.ts';
import { hostile } from './hostile-world.ts';
import { dangersIn, escaped } from './markup.ts';

const real = (counterStrike.descriptions as ItemKind[]).find(({ descriptions }) =>
  descriptions.some(({ value }) => value.includes('<img')),
) as ItemKind;
const tag = (category: string) => ({
  category,
  internal_name: hostile(`${category}Tag`),
  localized_category_name: hostile('category'),
  localized_tag_name: hostile(category),
  color: hostile('rarityColor'),
});

/** A weapon as Steam describes it, with its sticker's HTML and more markup than Steam ever sent. */
const kind: ItemKind = {
  ...real,
  tradable: 1,
  descriptions: [
    ...real.descriptions,
    {
      type: 'html',
      value: `<div id="sticker_info">${hostile('description')}</div>`,
      color: hostile('color'),
    },
    { type: 'html', value: '<a href="javascript:description()">Inspect</a><script>description()</script>' },
  ],
  actions: [{ link: 'javascript:action()', name: hostile('action') }],
  market_actions: [{ link: 'javascript:action()', name: hostile('action') }],
  name: hostile('item'),
  market_name: hostile('marketName'),
  market_hash_name: hostile('market'),
  type: hostile('typeLine'),
  icon_url: hostile('icon'),
  tags: ['Type', 'Rarity', 'Exterior'].map(tag),
};
const descriptions = kind.descriptions.map(({ value }) => value.trim());

/** The bot in this process with the stage's Steam, and the site on the same database. */
async function serve(stage: SteamStage): Promise<string> {
  const steam = await startBot(stage);
  const deps = stage.deps();
  const twitch = { leaveChannel: async () => false };
  const server = build({ ...deps, steam, twitch, parts: [steam] });
  onTestFinished(() => server.close());
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  setWebEnvironment({
    KEEPSAKE_DATA_DIR: stage.folder,
    BOT_URL: url,
    BOT_SECRET: deps.config.secret,
    ENCRYPTION_KEY: stage.encryptionKey,
  });
  return url;
}

/** The page shows these names as text, and none of the item's description. */
function expectShown(page: Page, names: readonly string[]): void {
  expect(page.status).toBe(200);
  for (const name of names) expect(page.html).toContain(escaped(hostile(name)));
  expect(dangersIn(page)).toEqual([]);
  expect(page.html).not.toMatch(/<img src=x|onerror=(description|action|category|marketName)|sticker_info/i);
  for (const description of descriptions.filter(Boolean)) expect(page.html).not.toContain(description);
}

async function deposit(stage: SteamStage, reader: Reader, key: string): Promise<void> {
  const requestId = newId(Date.now());
  const page = await reader.open('/items/deposit', { requestId, item: key, [`item:${key}`]: '1' });
  expectShown(page, ['market']);
  const sent = await transferIn(stage, requestId, 'sent');
  expect(stage.world.accept(sent.offerId ?? '', stage.streamer.steamId).ok).toBe(true);
  await transferIn(stage, requestId, 'accepted');
}

test("The HTML of Steam's descriptions stops at the bot, and item names are text from there to custody", async () => {
  const stage = await setSteamStage();
  stage.world.describe(kind);
  const url = await serve(stage);
  stage.world.give(stage.streamer.steamId, kind);

  const headers = { 'X-Bot-Secret': stage.deps().config.secret };
  const answer = await fetch(`${url}/inventories/${stage.streamer.steamId}/730/2?userId=streamer`, {
    headers,
  });
  const { items } = (await answer.json()) as { items: Record<string, unknown>[] };
  expect(items).toMatchObject([{ name: hostile('item'), typeLine: hostile('typeLine') }]);
  const said = JSON.stringify(items);
  for (const gone of ['description', 'action', 'category', 'marketName', 'sticker_info'])
    expect(said).not.toContain(gone);

  const reader = await readerOf(stage.streamer.userId);
  // Its sticker makes it a kind of its own.
  const traits = String(items[0]?.traits);
  expect(traits).toMatch(/^Sticker: [^<>]+$/m);
  const key = kindKey({ appId: kind.appid, marketHashName: kind.market_hash_name, traits });
  const words = ['item', 'typeLine', 'icon'];
  expectShown(await reader.open('/items'), [...words, 'TypeTag', 'RarityTag']);
  expectShown(await reader.open(`/items/deposit?item=${key}`), words);
  await deposit(stage, reader, key);
  expect(await itemsOf(stage)).toMatchObject([{ state: 'held', name: hostile('item') }]);
  expectShown(await reader.open('/items/custody'), words);
  expectShown(await reader.open('/transfers'), ['market', 'icon']);
});
