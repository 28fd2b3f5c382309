import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { botsFile, botsFileWithTokens, seedSteam } from '#sandbox/steam/seed.ts';
import { readToken } from '#sandbox/steam/tokens.ts';
import { SteamWorld } from '#sandbox/steam/world.ts';
import { logOnBot } from './stage.ts';

type Inventory = { assets: object[]; descriptions: { classid: string }[]; total_inventory_count: number };

const newWorld = () => new SteamWorld({ now: Date.now });

test('The demo streamer has exactly the inventory of the file', async () => {
  const { world, client } = await logOnBot();
  const file = new URL('../../../sandbox/data/steam-inventory-730.json', import.meta.url);
  const expected = JSON.parse(await readFile(file, 'utf8')) as Inventory;
  const { streamer } = seedSteam(world);
  const { body } = await client.get(
    `https://steamcommunity.com/inventory/${streamer.steamId}/730/2?l=english&count=1000`,
  );
  const shown = body as Inventory;
  expect(shown.assets).toEqual(expected.assets);
  expect(shown.descriptions).toEqual(expected.descriptions);
  expect(shown.total_inventory_count).toBe(expected.total_inventory_count);
});

test('The world has a streamer, twelve viewers, two bots and two newcomers', () => {
  const world = newWorld();
  const seeded = seedSteam(world);
  expect(seeded.viewers).toHaveLength(12);
  expect(seeded.bots.map((bot) => bot.login?.accountName)).toEqual(['demo_bot_1', 'demo_bot_2']);
  expect(world.users()).toHaveLength(17);
  const { items } = seeded.newcomerStreamer;
  expect(items).toHaveLength(30);
  expect(new Set(items.map((item) => item.appid))).toEqual(new Set([730, 440]));
  const tradable = new Set(
    world
      .kinds()
      .filter((kind) => kind.tradable === 1)
      .map((kind) => kind.classid),
  );
  expect(items.every((item) => tradable.has(item.classid))).toBe(true);
  expect(world.kinds().filter((kind) => kind.appid === 440).length).toBeGreaterThanOrEqual(8);
});

test('Seeding a second time changes nothing', () => {
  const world = newWorld();
  const first = seedSteam(world);
  const before = JSON.stringify(world);
  const second = seedSteam(world);
  expect(JSON.stringify(world)).toBe(before);
  expect(second.bots.map((bot) => bot.steamId)).toEqual(first.bots.map((bot) => bot.steamId));
});

test('Each world generates its own bot secrets, and both forms of the bots file work', async () => {
  const [one, other] = [newWorld(), newWorld()];
  seedSteam(one);
  seedSteam(other);
  expect(botsFile(one)[0]?.password).not.toBe(botsFile(other)[0]?.password);
  expect(Object.keys(botsFile(one)[0] ?? {}).toSorted()).toEqual(
    ['accountName', 'identitySecret', 'name', 'password', 'sharedSecret'].toSorted(),
  );
  const [entry] = botsFileWithTokens(one);
  expect(readToken(one.state, entry?.refreshToken ?? '', 'refresh')?.name).toBe(entry?.name);
  expect(readToken(other.state, entry?.refreshToken ?? '', 'refresh')).toBeNull();
});

test('A saved world continues where it was, and its tokens stay valid', async () => {
  const { world, steam, streamer, bot, client } = await logOnBot();
  const item = world.give(streamer.steamId, world.kinds()[0] ?? missing());
  const offer = client.offerTo(streamer);
  offer.addTheirItem(item as never);
  await client.send(offer);
  const { accessToken } = client.manager as unknown as { accessToken: string };
  const restored = SteamWorld.fromJSON(JSON.parse(JSON.stringify(world)), { now: Date.now });
  expect(readToken(restored.state, accessToken, 'access')?.steamId).toBe(bot.steamId);
  expect(restored.accept(offer.id ?? '', streamer.steamId).ok).toBe(true);
  expect(world.offer(offer.id ?? '')?.state).toBe(2);
  expect(steam.caFile).toMatch(/ca\.pem$/);
});

function missing(): never {
  throw new Error('The world describes no item.');
}

test('A state of another version is refused', () => {
  expect(() => SteamWorld.fromJSON({ version: 2 }, { now: Date.now })).toThrow('unknown version');
  expect(() => SteamWorld.fromJSON(undefined, { now: Date.now })).toThrow('unknown version');
});

test('Every change is reported, so that it can be saved', () => {
  let changes = 0;
  const world = new SteamWorld({ now: Date.now, onChange: () => (changes += 1) });
  const person = world.addUser({ name: 'Demo person' });
  world.setPrivateInventory(person.steamId, true);
  world.pushFault('sendDropsAfterEffect');
  world.takeFault('send', null);
  expect(changes).toBe(4);
});
