import { expect, test, vi } from 'vitest';
import type { InventoryItem, SentOffer, SteamAccount, TradeReport } from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';
import { applyOffer } from '#bot/steam/transfers/apply-offer.ts';
import { newId } from '#domain/kernel/id.ts';
import { day } from '#domain/kernel/time.ts';
import { listBotTransfers } from '#domain/transfer/list-bot-transfers.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { asset, deposit, START_MS, sendQueued } from '#tests/support/fixtures.ts';
import { itemsOf, transferOf } from '#tests/support/looking.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';
import { makeTransferWork } from '#tests/support/transfer-work.ts';

setScene();

/** A deposit of two assets on Steam; `show` is a look at its offer while the trade has this report. */
async function sentDeposit(
  appId = 730,
  assets = [asset('Demo case', { appId }), asset('Demo case', { appId })],
) {
  const id = newId(START_MS);
  await requestDeposit(db, { requestId: id, userId: streamer.userId, assets }, START_MS, Date.now());
  const [sent] = await sendQueued(db, START_MS);
  const moved = assets.map(({ appId, assetId }) => ({
    appId,
    assetId,
    newAssetId: `${assetId}1`,
    newContextId: '2',
  }));
  const { work } = makeTransferWork(db, botId, {});
  const show = async (
    state: SentOffer['state'],
    report: Partial<TradeReport>,
    tradeId: string | null = 't1',
    facts: Partial<SentOffer> = {},
    verbs: Partial<SteamAccount> = {},
  ) => {
    const [transfer] = await listBotTransfers(db.read, { botId, states: ['sent', 'escrowed'] });
    const value = { standing: 'complete', moved, ...report } as TradeReport;
    const account = {
      getTrade: async () => ({ ok: true, value }),
      inventory: async () => ({ ok: true, value: [] }),
      tradesSince: async () => failure('steamUnavailable', 'later'),
      ...verbs,
    } as unknown as SteamAccount;
    const offer = { offerId: sent!.offerId, state, tradeId, ...facts } as SentOffer;
    return applyOffer(work, account, transfer!, offer);
  };
  const state = async () => (await transferOf(db, id)).state;
  const settlesAt = async () => (await transferOf(db, id)).settlesAtMs;
  return { moved, show, state, settlesAt, work };
}

test('An accepted offer counts only when every asset has moved', async () => {
  const { moved, show, state } = await sentDeposit();
  for (const standing of ['pending', 'escrowed'] as const)
    expect(await show('Accepted', { standing })).toBe(false);
  expect(await show('Accepted', { moved: moved.slice(1) })).toBe(false);
  expect(await show('Accepted', {}, null)).toBe(false);
  expect(await state()).toBe('sent');
  expect(await itemsOf(db, streamer.userId)).toEqual([]);

  expect(await show('Accepted', {})).toBe(true);
  expect(await state()).toBe('accepted');
  const held = (await itemsOf(db, streamer.userId)).map(({ assetId }) => assetId);
  expect(held.sort()).toEqual(moved.map(({ newAssetId }) => newAssetId).sort());
});

test('An accepted offer whose trade failed has moved nothing', async () => {
  const { show, state } = await sentDeposit();
  expect(await show('Accepted', { standing: 'rolledBack' })).toBe(true);
  expect(await state()).toBe('failed');
  expect(await itemsOf(db, streamer.userId)).toEqual([]);
});

test('A trade that leaves escrow undone fails the transfer', async () => {
  const { show, state } = await sentDeposit();
  expect(await show('InEscrow', { standing: 'escrowed' })).toBe(true);
  expect(await state()).toBe('escrowed');
  expect(await show('InEscrow', { standing: 'escrowed' })).toBe(false);
  expect(await show('Canceled', {})).toBe(true);
  expect(await state()).toBe('failed');
  expect(await itemsOf(db, streamer.userId)).toEqual([]);
});

test('What was read of the inventory is out of date once an offer has changed', async () => {
  const { show, work } = await sentDeposit();
  const clear = vi.spyOn(work.inventory, 'clear');
  await show('Active', {});
  expect(clear).not.toHaveBeenCalled();
  await show('Declined', {});
  expect(clear).toHaveBeenCalledTimes(1);
});

test('A protected item that the inventory does not list yet is locked until the trade is settled', async () => {
  const { moved, show } = await sentDeposit();
  const settlesAtMs = START_MS + 8 * day;
  const inProtection = moved.map((each) => ({ ...each, newContextId: '16' }));
  await show('Accepted', { moved: inProtection, settlesAtMs });
  const held = await itemsOf(db, streamer.userId);
  expect(held.map(({ lockedUntilMs }) => lockedUntilMs)).toEqual([settlesAtMs, settlesAtMs]);
});

test('A trade whose settlement Steam does not name is final after eight days, and at once in a game without protection', async () => {
  const protectedTrade = await sentDeposit();
  await protectedTrade.show('Accepted', {});
  expect(await protectedTrade.settlesAt()).toBe(START_MS + 8 * day);
  const plain = await sentDeposit(440);
  await plain.show('Accepted', {});
  expect(await plain.settlesAt()).toBe(START_MS);
});

test('A deposit that was accepted and reversed before it was seen has moved nothing', async () => {
  const { show, state } = await sentDeposit();
  expect(await show('Accepted', { standing: 'reversed' })).toBe(true);
  expect(await state()).toBe('failed');
  expect(await itemsOf(db, streamer.userId)).toEqual([]);
});

test('An offer that is open on Steam changes nothing, and one in escrow is reported with its trade', async () => {
  const { show, state } = await sentDeposit();
  expect(await show('Active', {}, null)).toBe(false);
  expect(await show('InEscrow', { standing: 'rolledBack' })).toBe(true);
  expect(await state()).toBe('failed');
});

test('An offer in escrow is reported also if Steam does not name its trade', async () => {
  const { show, state } = await sentDeposit();
  expect(await show('InEscrow', {}, null)).toBe(true);
  expect(await state()).toBe('escrowed');
});

test('An offer with another code or to another account is not taken for the transfer’s', async () => {
  const { show, state } = await sentDeposit();
  const others = [{ message: 'Keepsake AAAA-AAAA' }, { partnerSteamId: '76561198000000001' }];
  for (const facts of others) {
    expect(await show('Accepted', {}, 't1', facts)).toBe(false);
    expect(await show('Declined', {}, null, facts)).toBe(false);
  }
  expect(await state()).toBe('sent');
  const ours = { message: null, partnerSteamId: streamer.steamId };
  expect(await show('Accepted', {}, 't1', ours)).toBe(true);
});

test('A trade that leaves escrow complete delivers the deposit; until it can be read nothing changes', async () => {
  const { show, state } = await sentDeposit();
  const unreadable = { getTrade: async () => failure('steamUnavailable', 'later') };
  expect(await show('Accepted', {}, 't1', {}, unreadable)).toBe(false);
  expect(await show('InEscrow', { standing: 'escrowed' })).toBe(true);
  expect(await show('Accepted', {})).toBe(true);
  expect(await state()).toBe('accepted');
  expect(await itemsOf(db, streamer.userId)).toHaveLength(2);
});

test('Assets of two games may have one id, and one that can be protected makes the whole trade wait', async () => {
  const assets = [asset('Demo case', { assetId: '5' }), asset('Demo hat', { appId: 440, assetId: '5' })];
  const { show, settlesAt } = await sentDeposit(730, assets);
  const at = (appId: number, newAssetId: string) => ({ appId, assetId: '5', newAssetId, newContextId: '2' });
  expect(await show('Accepted', { moved: [at(730, '51'), at(440, '52')] })).toBe(true);
  const held = await itemsOf(db, streamer.userId);
  expect(held.map(({ name, appId, assetId }) => [name, appId, assetId]).toSorted()).toEqual([
    ['Demo case', 730, '51'],
    ['Demo hat', 440, '52'],
  ]);
  expect(await settlesAt()).toBe(START_MS + 8 * day);
});

test('New ids of which one is booked already are not believed', async () => {
  await deposit(db, streamer, [asset()]);
  const [booked] = await itemsOf(db, streamer.userId);
  const { moved, show, state } = await sentDeposit();
  const reported = [moved[0]!, { ...moved[1]!, newAssetId: booked!.assetId }];
  expect(await show('Accepted', { moved: reported })).toBe(false);
  expect(await state()).toBe('sent');
  expect(await show('Accepted', {})).toBe(true);
});

test('A protected item is locked until its own date or the settlement of its trade, whichever is later', async () => {
  const { moved, show } = await sentDeposit();
  const settlesAtMs = START_MS + 8 * day;
  const dates = [settlesAtMs + day, settlesAtMs - day];
  const listed = moved.map(({ newAssetId }, nth) => ({ assetId: newAssetId, protectedUntilMs: dates[nth] }));
  // The first reading is from before the trade.
  const inventory = vi
    .fn<SteamAccount['inventory']>(async () => ({ ok: true, value: listed as InventoryItem[] }))
    .mockResolvedValueOnce({ ok: true, value: [] });
  const inProtection = moved.map((each) => ({ ...each, newContextId: '16' }));
  await show('Accepted', { moved: inProtection, settlesAtMs }, 't1', {}, { inventory });
  const held = await itemsOf(db, streamer.userId);
  expect(new Map(held.map(({ assetId, lockedUntilMs }) => [assetId, lockedUntilMs]))).toEqual(
    new Map([
      [moved[0]!.newAssetId, settlesAtMs + day],
      [moved[1]!.newAssetId, settlesAtMs],
    ]),
  );
});

test('While the inventory cannot be read, a protected item is locked until its trade is settled', async () => {
  const { moved, show } = await sentDeposit();
  const settlesAtMs = START_MS + 8 * day;
  const inventory = async () => failure('steamUnavailable', 'later');
  const inProtection = moved.map((each) => ({ ...each, newContextId: '16' }));
  expect(await show('Accepted', { moved: inProtection, settlesAtMs }, 't1', {}, { inventory })).toBe(true);
  const held = await itemsOf(db, streamer.userId);
  expect(held.map(({ lockedUntilMs }) => lockedUntilMs)).toEqual([settlesAtMs, settlesAtMs]);
});

test('A deposit of which Steam tells one new id of two is found whole in the inventory', async () => {
  const { moved, show, work } = await sentDeposit();
  work.pace = { ...work.pace, arrivalMs: 0 };
  const shown = moved.map(({ newAssetId }) => ({ assetId: newAssetId, contextId: '2', classId: '100' }));
  const verbs: Partial<SteamAccount> = {
    inventory: async (_steamId, _appId, contextId) => ({
      ok: true,
      value: (contextId === '2' ? shown : []) as InventoryItem[],
    }),
    offer: async (offerId) => ({
      ok: true,
      value: { offerId, state: 'Accepted', tradeId: 't1' } as SentOffer,
    }),
  };
  expect(await show('Accepted', { moved: moved.slice(1) }, 't1', {}, verbs)).toBe(true);
  const held = (await itemsOf(db, streamer.userId)).map(({ assetId }) => assetId);
  expect(held.toSorted()).toEqual(moved.map(({ newAssetId }) => newAssetId).toSorted());
});
