import { expect, test } from 'vitest';
import type { InventoryAnswer, InventoryItem } from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';
import { assignByClass, readUnknownAssets } from '#bot/steam/transfers/unknown-assets.ts';
import { asset, deposit } from '#tests/support/fixtures.ts';
import { itemsOf } from '#tests/support/looking.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';
import { makeTransferWork } from '#tests/support/transfer-work.ts';

setScene();

const item = (assetId: string, classId = '100') =>
  ({ assetId, classId, traits: '', wear: '' }) as InventoryItem & { traits: string; wear: string };
const holding = (...items: InventoryItem[]): InventoryAnswer => ({ ok: true, value: items });
const short = (...items: InventoryItem[]) => ({ ...holding(...items), isShort: true }) as InventoryAnswer;
const unreadable = failure('steamUnavailable', 'later');

/** The unknown assets of a game, where the bot's contexts that are not named are empty. */
async function unknownIn(appId: number, contexts: Record<string, InventoryAnswer>) {
  const read: string[] = [];
  const { work } = makeTransferWork(db, botId, {
    inventory: async (_steamId, game, contextId) => {
      read.push(`${game}/${contextId}`);
      return contexts[contextId] ?? holding();
    },
  });
  const answer = await readUnknownAssets(work, work.account()!, appId);
  return {
    read,
    answer: answer.ok ? { ...answer, value: answer.value.map(({ assetId }) => assetId) } : answer,
  };
}

test('What a bot has of a game and belongs to no item is unknown, in every context of the game', async () => {
  await deposit(db, streamer, [asset()]);
  const [held] = await itemsOf(db, streamer.userId);
  const contexts = { 2: holding(item(held!.assetId), item('5')), 16: holding(item('6')) };
  expect(await unknownIn(730, contexts)).toEqual({
    read: ['730/2', '730/16'],
    answer: { ok: true, value: ['5', '6'] },
  });
  expect(await unknownIn(440, contexts)).toEqual({
    read: ['440/2', '440/16'],
    answer: { ok: true, value: [held!.assetId, '5', '6'] },
  });
  expect((await unknownIn(999, contexts)).read).toEqual(['999/2', '999/16']);
});

test('What can be read in part is said to be so, and what cannot be read at all is a failure', async () => {
  const part = { ok: true, value: ['5'], isShort: true };
  expect((await unknownIn(730, { 2: unreadable, 16: holding(item('5')) })).answer).toEqual(part);
  expect((await unknownIn(730, { 2: holding(item('5')), 16: unreadable })).answer).toEqual(part);
  expect((await unknownIn(730, { 2: short(item('5')) })).answer).toEqual(part);
  const { answer } = await unknownIn(730, { 2: unreadable, 16: unreadable });
  expect(answer).toMatchObject({ ok: false, code: 'steamUnavailable', retry: 'later' });
});

test('Each wanted asset gets the newest of its class, by number, as long as there are enough', () => {
  const wanted = [item('a'), item('b', '200'), item('c')];
  const unknown = [item('9'), item('10'), item('8'), item('7', '200'), item('11', '300')];
  const assigned = assignByClass(wanted, unknown);
  expect(wanted.map((each) => assigned?.get(each)?.assetId)).toEqual(['10', '7', '9']);
  expect(unknown).toHaveLength(5);
  expect(assignByClass(wanted, unknown.slice(1, 2))).toBeNull();
  expect(assignByClass([], [])).toEqual(new Map());
});
