import { expect, test } from 'vitest';
import type { InventoryAnswer, InventoryItem } from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';
import { isUntouched } from '#bot/steam/transfers/is-untouched.ts';
import type { BotTransfer } from '#domain/transfer/list-bot-transfers.ts';
import { asset, deposit } from '#tests/support/fixtures.ts';
import { itemsOf } from '#tests/support/looking.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';
import { makeTransferWork } from '#tests/support/transfer-work.ts';

setScene();

const item = (assetId: string, classId: string) => ({ assetId, classId }) as InventoryItem;
const holding = (...items: InventoryItem[]): InventoryAnswer => ({ ok: true, value: items });
const unreadable = failure('steamUnavailable', 'later');
const PARTNER = '76561198000000001';

const unreported = { contextId: '2', traits: '', wear: '', amount: 1, newAssetId: null, hasLeft: false };
const wanted = [
  { ...unreported, appId: 730, assetId: '5', classId: '100' },
  { ...unreported, appId: 440, assetId: '6', classId: '200' },
];
const both = { '730/2': holding(item('5', '100')), '440/2': holding(item('6', '200')) };

/** Checks whether a transfer of a case and a hat is untouched; inventories that are not named are empty. */
function look(
  facts: Partial<BotTransfer>,
  { theirs = {}, ours = {} }: Partial<Record<'theirs' | 'ours', Record<string, InventoryAnswer>>>,
  mustSee = false,
): Promise<boolean> {
  const { work } = makeTransferWork(db, botId, {
    inventory: async (steamId, appId, contextId) =>
      (steamId === PARTNER ? theirs : ours)[`${appId}/${contextId}`] ?? holding(),
  });
  const transfer = { id: 'one', kind: 'deposit', partnerSteamId: PARTNER, assets: wanted, ...facts };
  return isUntouched(work, work.account()!, transfer as BotTransfer, { mustSee });
}

test('A deposit is untouched while its streamer has all of it', async () => {
  expect(await look({}, { theirs: both, ours: { '730/2': holding(item('9', '100')) } })).toBe(true);
});

const arrivals: [what: string, ours: Record<string, InventoryAnswer>, isUntouched: boolean][] = [
  ['nothing of its kinds', { '730/2': holding(item('9', '300')) }, true],
  ['one of its first kind', { '730/2': holding(item('9', '100')) }, false],
  ['one of its other kind', { '440/2': holding(item('9', '200')) }, false],
  ['one under protection', { '730/16': holding(item('9', '100')) }, false],
  ['nothing that can be read', { '730/2': unreadable, '730/16': unreadable }, false],
  ['only a part that can be read', { '730/2': { ...holding(), isShort: true } as InventoryAnswer }, false],
];
test.each(arrivals)(
  'A deposit that its streamer has no more is untouched or not, if the bot has %s',
  async (_what, ours, isUntouched) => {
    expect(await look({}, { ours })).toBe(isUntouched);
    const hidden = { '730/2': unreadable, '440/2': unreadable };
    expect(await look({}, { theirs: hidden, ours }, true)).toBe(isUntouched);
    expect(await look({}, { theirs: hidden, ours })).toBe(true);
  },
);

test('A deposit of which the streamer has only a part is looked for with the bot', async () => {
  const two = [wanted[0]!, { ...wanted[0]!, assetId: '7' }];
  const theirs = { '730/2': holding(item('5', '100')) };
  expect(await look({ assets: two }, { theirs, ours: { '730/2': holding(item('9', '100')) } })).toBe(false);
  expect(await look({ assets: two }, { theirs })).toBe(true);
});

test('An item that was deposited before does not count as arrived', async () => {
  await deposit(db, streamer, [asset()]);
  const [held] = await itemsOf(db, streamer.userId);
  expect(await look({}, { ours: { '730/2': holding(item(held!.assetId, '100')) } })).toBe(true);
});

test('A claim is untouched while the bot has what it gives, or once that has left with its deposit', async () => {
  const kind = 'claim' as const;
  expect(await look({ kind }, { ours: both })).toBe(true);
  expect(await look({ kind }, { ours: { '730/2': both['730/2'] } })).toBe(false);
  expect(await look({ kind }, { ours: { ...both, '440/2': unreadable } })).toBe(false);
  expect(await look({ kind, assets: [wanted[0]!, { ...wanted[1]!, hasLeft: true }] }, {})).toBe(true);
});
