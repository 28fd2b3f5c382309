import { expect, onTestFinished, test, vi } from 'vitest';
import type { InventoryItem, SentOffer } from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';
import { applyOffer } from '#bot/steam/transfers/apply-offer.ts';
import { isArrivalPaused, readArrivals } from '#bot/steam/transfers/arrivals.ts';
import { transfers } from '#db/schema/transfer.ts';
import { recordSelfTest } from '#domain/bot/record-self-test.ts';
import { newId } from '#domain/kernel/id.ts';
import { minute } from '#domain/kernel/time.ts';
import { listBotTransfers } from '#domain/transfer/list-bot-transfers.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import type { MovedAsset } from '#domain/transfer/transfer-effects.ts';
import { asset, START_MS, sendQueued } from '#tests/support/fixtures.ts';
import { itemsOf } from '#tests/support/looking.ts';
import { holdTime, passTime } from '#tests/support/passing-time.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';
import { makeTransferWork } from '#tests/support/transfer-work.ts';

setScene();

/** Two accepted deposits of the same class; `reported` has the new id that Steam reports for each. */
async function twoDeposits(reported: Record<'first' | 'second', string | null>) {
  const trades: Record<string, MovedAsset[]> = {};
  const ids: string[] = [];
  const assets = [asset(), asset()];
  for (const each of assets) {
    const requestId = newId(START_MS);
    const asked = { requestId, userId: streamer.userId, assets: [each] };
    await requestDeposit(db, asked, START_MS, Date.now());
    ids.push(requestId);
  }
  await sendQueued(db, START_MS);
  const report = (place: number, newAssetId: string | null) => {
    const { appId, assetId } = assets[place]!;
    trades[`t${place}`] = newAssetId ? [{ appId, assetId, newAssetId, newContextId: '16' }] : [];
  };
  report(0, reported.first);
  report(1, reported.second);
  const list = () => listBotTransfers(db.read, { botId, states: ['sent'] });
  const placeOf = new Map((await list()).map(({ id, offerId }) => [offerId, ids.indexOf(id)]));
  const offerOf = (offerId: string) =>
    ({ offerId, state: 'Accepted', tradeId: `t${placeOf.get(offerId)}` }) as SentOffer;
  const shown = ['901', '902'];
  const { work } = makeTransferWork(db, botId, {
    offer: async (offerId) => ({ ok: true, value: offerOf(offerId) }),
    getTrade: async (tradeId) => ({
      ok: true,
      value: { standing: 'complete', moved: trades[tradeId] ?? [] },
    }),
    inventory: async (_steamId, _appId, contextId) => ({
      ok: true,
      value: (contextId === '16' ? shown : []).map((assetId) => ({
        assetId,
        contextId,
        classId: '100',
      })) as InventoryItem[],
    }),
  });
  work.pace = { ...work.pace, arrivalMs: 0 };
  const deposit = async (place: number) => (await list()).find(({ id }) => id === ids[place])!;
  const book = async (place: number) => {
    const transfer = await deposit(place);
    return applyOffer(work, work.account()!, transfer, offerOf(transfer.offerId ?? ''));
  };
  const isPaused = async (place: number) => isArrivalPaused(work, await deposit(place));
  const booked = async () => (await itemsOf(db, streamer.userId)).map(({ assetId }) => assetId);
  return { report, book, booked, isPaused, shown, work };
}

test('A deposit whose ids Steam does not tell leaves alone what it tells of another one', async () => {
  const { book, booked } = await twoDeposits({ first: null, second: '902' });
  expect(await book(0)).toBe(true);
  expect(await book(1)).toBe(true);
  expect(await booked()).toEqual(['901', '902']);
});

test('A deposit whose asset was booked for another one before Steam told takes the other’s', async () => {
  const { report, book, booked } = await twoDeposits({ first: null, second: null });
  await book(0);
  const [taken] = await booked();
  report(1, taken ?? '');
  expect(await book(1)).toBe(true);
  expect((await booked()).toSorted()).toEqual(['901', '902']);
});

test('Each deposit whose ids Steam does not tell waits its own time, and is looked for at its own pauses', async () => {
  const { book, isPaused, shown, work } = await twoDeposits({ first: null, second: null });
  holdTime();
  onTestFinished(() => void vi.useRealTimers());
  work.pace = { ...work.pace, arrivalMs: 5 * minute, arrivalRetryMs: minute };
  shown.length = 0;
  expect(await book(0)).toBe(false);
  passTime(5 * minute);
  expect(await book(1)).toBe(false);
  expect([await isPaused(0), await isPaused(1)]).toEqual([false, false]);
  expect(await book(0)).toBe(false);
  expect([await isPaused(0), await isPaused(1)]).toEqual([true, false]);
  shown.push('901', '902');
  passTime(minute - 1);
  expect(await book(0)).toBe(false);
  passTime(1);
  expect(await book(0)).toBe(true);
  expect(await book(1)).toBe(false);
  passTime(4 * minute);
  expect(await book(1)).toBe(true);
});

test('What waited for its ids before a restart is looked for at once after it', async () => {
  const { book, work } = await twoDeposits({ first: null, second: null });
  work.pace = { ...work.pace, arrivalMs: 5 * minute };
  const account = Object.assign(work.account()!, { clockAheadMs: -minute });
  const madeAgo = (agoMs: number) => {
    const value = { standing: 'complete', moved: [], madeAtMs: START_MS - agoMs } as const;
    account.getTrade = async () => ({ ok: true, value });
  };
  madeAgo(6 * minute - 1);
  expect(await book(0)).toBe(false);
  madeAgo(6 * minute);
  expect(await book(0)).toBe(true);
});

test('Deposits whose ids Steam does not tell are looked for in one reading', async () => {
  holdTime();
  onTestFinished(() => void vi.useRealTimers());
  const { book, booked, work } = await twoDeposits({ first: null, second: null });
  const account = work.account()!;
  const { inventory } = account;
  const read: string[] = [];
  account.inventory = (steamId, appId, contextId) => {
    read.push(contextId);
    passTime(1);
    return inventory(steamId, appId, contextId);
  };
  work.pace = { ...work.pace, arrivalMs: 5 * minute };
  expect([await book(0), await book(1)]).toEqual([false, false]);
  passTime(5 * minute);
  expect(await book(0)).toBe(true);
  passTime(10_000);
  expect(await book(1)).toBe(true);
  expect((await booked()).toSorted()).toEqual(['901', '902']);
  expect(read).toEqual(['2', '16']);
});

test('Two deposits that are looked for at the same time do not take the same asset', async () => {
  const { book, booked } = await twoDeposits({ first: null, second: null });
  expect(await Promise.all([book(0), book(1)])).toEqual([true, true]);
  expect((await booked()).toSorted()).toEqual(['901', '902']);
});

test('One deposit that cannot be booked leaves the next its turn', async () => {
  const { book, booked, work } = await twoDeposits({ first: null, second: null });
  vi.spyOn(work.inventory, 'clear').mockImplementationOnce(() => {
    throw new Error('a fault');
  });
  const [first, second] = await Promise.allSettled([book(0), book(1)]);
  expect([first?.status, second]).toEqual(['rejected', { status: 'fulfilled', value: true }]);
  expect(await booked()).toHaveLength(2);
});

test('A reading begun before a deposit was seen accepted does not prove that it is missing', async () => {
  holdTime();
  onTestFinished(() => void vi.useRealTimers());
  const { book, shown } = await twoDeposits({ first: null, second: null });
  shown.pop();
  expect(await book(0)).toBe(true);
  shown.push('902');
  passTime(1);
  expect(await book(1)).toBe(true);
});

test('An inventory that cannot be read does not prolong the pauses after which a deposit is looked for', async () => {
  const { book, work } = await twoDeposits({ first: null, second: null });
  holdTime();
  onTestFinished(() => void vi.useRealTimers());
  work.pace = { ...work.pace, arrivalRetryMs: minute };
  const account = work.account()!;
  const { inventory } = account;
  account.inventory = async () => failure('steamBusy', 'later', 'the queue is too long');
  for (const _try of [1, 2, 3, 4]) {
    expect(await book(0)).toBe(false);
    passTime(minute);
  }
  account.inventory = inventory;
  expect(await book(0)).toBe(true);
});

/** A deposit whose ids Steam does not tell, and another one, of which it shows these facts; no trade but the first's can be read. */
async function besideAnother(facts: Partial<SentOffer> | null) {
  const deposits = await twoDeposits({ first: null, second: null });
  const account = deposits.work.account()!;
  const { offer, getTrade } = account;
  const unreadable = failure('steamUnavailable', 'later');
  account.getTrade = async (tradeId) => (tradeId === 't0' ? getTrade(tradeId) : unreadable);
  account.offer = async (offerId) => {
    const shown = await offer(offerId);
    if (!shown.ok || shown.value.tradeId === 't0') return shown;
    return facts ? { ok: true, value: { ...shown.value, ...facts } } : unreadable;
  };
  return deposits;
}

test('While it cannot be read what another accepted deposit brought, nothing that arrived is taken', async () => {
  for (const facts of [null, {}]) {
    const { book, booked } = await besideAnother(facts);
    expect(await book(0)).toBe(false);
    expect(await booked()).toEqual([]);
    await db.transaction(async (tx) => {
      await tx.update(transfers).set({ state: 'cancelled' });
    });
  }
});

test.each([
  ['is not accepted', { state: 'Active' }],
  ['has no trade', { tradeId: null }],
] as const)('Another deposit that %s has brought nothing', async (_what, facts) => {
  const { book } = await besideAnother(facts);
  expect(await book(0)).toBe(true);
});

test('Of deposits whose offers Steam gives by no id, the list tells what they brought, read once for all', async () => {
  const { report, book, booked, work } = await twoDeposits({ first: null, second: null });
  report(1, '901');
  holdTime();
  onTestFinished(() => void vi.useRealTimers());
  const account = work.account()!;
  const { offer } = account;
  let isListed = false;
  let readings = 0;
  account.offersSince = async () => {
    readings++;
    const transfers = await listBotTransfers(db.read, { botId, states: ['sent'] });
    const shown = await Promise.all(transfers.map(({ offerId }) => offer(offerId ?? '')));
    const offers = shown.flatMap((each) => (each.ok && isListed ? [each.value] : []));
    return { ok: true, value: { offers, unreadable: 0 } };
  };
  account.offer = async () => failure('offerUnknown', 'later');
  expect(await book(0)).toBe(false);
  isListed = true;
  passTime(work.pace.arrivalRetryMs);
  expect(await book(0)).toBe(true);
  expect(await booked()).toEqual(['902']);
  expect(readings).toBe(2);
});

test('While offers by their ids are doubted, the list tells what other deposits brought', async () => {
  const { report, book, booked, work } = await twoDeposits({ first: null, second: null });
  report(1, '902');
  const account = work.account()!;
  const { offer } = account;
  account.offersSince = async () => {
    const transfers = await listBotTransfers(db.read, { botId, states: ['sent'] });
    const shown = await Promise.all(transfers.map(({ offerId }) => offer(offerId ?? '')));
    return {
      ok: true,
      value: { offers: shown.flatMap((each) => (each.ok ? each.value : [])), unreadable: 0 },
    };
  };
  account.offer = async (offerId) => {
    const shown = await offer(offerId);
    return shown.ok ? { ok: true, value: { ...shown.value, state: 'Active' } } : shown;
  };
  const facts = { endpoint: 'offer', appId: 730, offers: 'open', difference: 'state', offerId: '1' } as const;
  await recordSelfTest(db, { botId, tests: [facts] }, START_MS);
  expect(await book(0)).toBe(true);
  expect(await booked()).toEqual(['901']);
});

test('However many pieces a deposit has, its protected inventory is read at most once more than it was', async () => {
  const assets = [asset(), asset(), asset()];
  const requestId = newId(START_MS);
  await requestDeposit(db, { requestId, userId: streamer.userId, assets }, START_MS, Date.now());
  await sendQueued(db, START_MS);
  const [transfer] = await listBotTransfers(db.read, { botId, states: ['sent'] });
  const shown: { assetId: string; protectedUntilMs?: number }[] = [];
  let readings = 0;
  const { work } = makeTransferWork(db, botId, {
    inventory: async (_steamId, _appId, contextId) => {
      readings++;
      return { ok: true, value: shown.map((item) => ({ ...item, contextId })) as InventoryItem[] };
    },
  });
  const moved = assets.map(({ appId, assetId }, place) => ({
    ...{ appId, assetId },
    ...{ newAssetId: `90${place}`, newContextId: '16' },
  }));
  const account = work.account()!;
  await work.inventory.read(account, assets[0]!.appId, '16');
  shown.push({ assetId: '900', protectedUntilMs: 7000 }, { assetId: '901' });
  const arrived = await readArrivals(work, account, transfer!, { standing: 'complete', moved }, 5000);
  expect(arrived?.map(({ protectedUntilMs }) => protectedUntilMs)).toEqual([7000, 5000, 5000]);
  expect(readings).toBe(2);
});
