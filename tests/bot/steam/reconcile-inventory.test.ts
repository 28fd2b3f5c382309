import { eq } from 'drizzle-orm';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { InventoryAnswer, InventoryItem, SteamAccount } from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';
import { reconcileInventory } from '#bot/steam/transfers/reconcile-inventory.ts';
import { mails } from '#db/schema/outbox.ts';
import { unknownAssets } from '#db/schema/unknown-asset.ts';
import { hour, minute } from '#domain/kernel/time.ts';
import { asset, deposit, START_MS } from '#tests/support/fixtures.ts';
import { itemsOf } from '#tests/support/looking.ts';
import { holdTime, passTime } from '#tests/support/passing-time.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';
import { makeTransferWork, OPERATOR_EMAIL } from '#tests/support/transfer-work.ts';

setScene();

/** An item in custody for each game, and a bot that reads these inventories; in all others is nothing. */
async function custody() {
  await deposit(db, streamer, [asset(), asset('Demo hat', { appId: 440 })]);
  const held = await itemsOf(db, streamer.userId);
  const idOf = (game: number) => held.find(({ appId }) => appId === game)?.assetId ?? '';
  const shown: Record<string, InventoryAnswer> = {};
  const show = (context: string, ...assetIds: string[]) => {
    shown[context] = {
      ok: true,
      value: assetIds.map((assetId) => ({ assetId, contextId: context.split('/')[1] })) as InventoryItem[],
    };
  };
  const inventory = vi.fn<SteamAccount['inventory']>(
    async (_steamId, appId, contextId) => shown[`${appId}/${contextId}`] ?? { ok: true, value: [] },
  );
  const { work, time } = makeTransferWork(db, botId, { inventory });
  const stopping = new AbortController();
  const round = reconcileInventory({ ...work, pace: { ...work.pace, absenceMs: 0 } });
  /** Twice: an item is missing only after two readings. */
  const compare = async () => {
    for (let reading = 0; reading < 2; reading += 1) {
      time.nowMs += minute;
      await round(stopping.signal);
    }
    return Object.fromEntries((await itemsOf(db, streamer.userId)).map(({ appId, state }) => [appId, state]));
  };
  time.nowMs = START_MS;
  return { idOf, shown, show, inventory, compare, stopping, work, time };
}

test('An item counts as missing only if it is in neither context of its game', async () => {
  const { idOf, show, compare, inventory } = await custody();
  show('730/16', idOf(730));
  show('440/2', idOf(440));
  expect(await compare()).toEqual({ 730: 'held', 440: 'held' });
  const read = inventory.mock.calls.map(([, appId, contextId]) => `${appId}/${contextId}`);
  expect(read.slice(0, 4)).toEqual(['730/2', '730/16', '440/2', '440/16']);
  show('730/16');
  show('440/2');
  show('440/16', idOf(440));
  expect(await compare()).toEqual({ 730: 'missing', 440: 'held' });
  show('730/2', idOf(730));
  expect(await compare()).toEqual({ 730: 'held', 440: 'held' });
});

test('A game that not every bot has is compared while the bot holds something of it', async () => {
  const { compare, inventory } = await custody();
  await compare();
  const apps = () => new Set(inventory.mock.calls.map(([, appId]) => appId));
  expect([...apps()]).toEqual([730, 440]);
  await deposit(db, streamer, [asset('Demo hoodie', { appId: 252490 })]);
  await compare();
  expect([...apps()]).toEqual([730, 440, 252490]);
});

test('While part of a game’s inventory cannot be read, nothing of that game counts as missing', async () => {
  const { shown, compare } = await custody();
  shown['730/16'] = failure('steamUnavailable', 'later');
  expect(await compare()).toEqual({ 730: 'held', 440: 'missing' });
});

test('A reading with unreadable rows makes nothing missing, but what it shows is back', async () => {
  const { idOf, shown, show, compare } = await custody();
  show('440/2', idOf(440));
  expect(await compare()).toEqual({ 730: 'missing', 440: 'held' });
  show('730/2', idOf(730));
  for (const context of ['730/2', '440/2'])
    shown[context] = { ok: true, value: shown[context]?.ok ? shown[context].value : [], isShort: true };
  shown['440/2'] = { ok: true, value: [], isShort: true };
  expect(await compare()).toEqual({ 730: 'held', 440: 'held' });
});

test('Nothing is compared while the process stops', async () => {
  const { compare, stopping, inventory } = await custody();
  stopping.abort();
  expect(await compare()).toEqual({ 730: 'held', 440: 'held' });
  expect(inventory).not.toHaveBeenCalled();
});

test('What belongs to no item is stored for the operator, unless it cannot be traded', async () => {
  const { shown, idOf, compare } = await custody();
  const facts = { ...asset(), contextId: '2', facts: { type: null, rarity: null, exterior: null } };
  const own = { ...facts, assetId: idOf(730), tradable: true };
  const stray = { ...facts, assetId: '71', tradable: true };
  const protectedStray = { ...facts, assetId: '72', contextId: '16', tradable: false, protectedUntilMs: 1 };
  const medal = { ...facts, assetId: '73', tradable: false };
  shown['730/2'] = { ok: true, value: [own, stray, medal] };
  shown['730/16'] = { ok: true, value: [protectedStray] };
  await compare();
  const unknown = () => db.read.select().from(unknownAssets).orderBy(unknownAssets.assetId);
  expect(await unknown()).toMatchObject([
    { botId, assetId: '71', contextId: '2', firstSeenAtMs: START_MS + minute },
    { botId, assetId: '72', contextId: '16', lastSeenAtMs: START_MS + 2 * minute },
  ]);
  shown['730/2'] = { ok: true, value: [own] };
  await compare();
  expect((await unknown()).map(({ assetId }) => assetId)).toEqual(['72']);
  shown['730/16'] = { ok: true, value: [], isShort: true };
  await compare();
  expect((await unknown()).map(({ assetId }) => assetId)).toEqual(['72']);
});

test('The operator is mailed about items that the comparison misses, and about what belongs to nobody', async () => {
  const { shown, show, idOf, compare, time } = await custody();
  show('440/2', idOf(440));
  await compare();
  const letters = async () =>
    (await db.read.select().from(mails).where(eq(mails.recipient, OPERATOR_EMAIL))).map(
      ({ template, values }) => `${template} ${values.concern}`,
    );
  expect(await letters()).toEqual(['inventoryDiffers missing']);
  const facts = { ...asset(), contextId: '2', facts: { type: null, rarity: null, exterior: null } };
  shown['730/2'] = { ok: true, value: [{ ...facts, assetId: '71', tradable: true }] };
  await compare();
  time.nowMs += hour;
  await compare();
  expect(await letters()).toEqual(['inventoryDiffers missing', 'inventoryDiffers unknown']);
});

test('An item is missing after a pause in which no reading showed it, and is read again when that ends', async () => {
  holdTime();
  onTestFinished(() => void vi.useRealTimers());
  const { idOf, show, work, time } = await custody();
  const pace = { ...work.pace, absenceMs: minute, reconcileMs: hour };
  const round = reconcileInventory({ ...work, pace });
  show('440/2', idOf(440));
  /** Milliseconds until the next reading, and where the item is. */
  const readAfter = async (ms: number) => {
    time.nowMs += minute;
    passTime(ms);
    const dueMs = await round(new AbortController().signal);
    const items = await itemsOf(db, streamer.userId);
    return [dueMs, items.find(({ appId }) => appId === 730)?.state];
  };
  expect(await readAfter(0)).toEqual([minute, 'held']);
  show('730/2', idOf(730));
  expect(await readAfter(minute)).toEqual([hour, 'held']);
  show('730/2');
  expect(await readAfter(minute)).toEqual([minute, 'held']);
  expect(await readAfter(minute - 1)).toEqual([minute, 'held']);
  const [, state] = await readAfter(1);
  expect(state).toBe('missing');
});
