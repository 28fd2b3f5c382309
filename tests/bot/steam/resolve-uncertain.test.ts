import { beforeEach, expect, test, vi } from 'vitest';
import type {
  AssetName,
  InventoryItem,
  SentOffer,
  SteamAccount,
  TradeHistory,
  TradeParties,
} from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';
import { resolveUncertain } from '#bot/steam/transfers/resolve-uncertain.ts';
import { is } from '#db/dialect.ts';
import { transfers } from '#db/schema/transfer.ts';
import { newId } from '#domain/kernel/id.ts';
import { hour, minute } from '#domain/kernel/time.ts';
import { leaseTransfers, SENDING_LEASE_MS } from '#domain/transfer/lease-transfers.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { asset, START_MS, sendQueued } from '#tests/support/fixtures.ts';
import { assetsIn, transferOf } from '#tests/support/looking.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';
import { makeTransferWork } from '#tests/support/transfer-work.ts';

setScene();
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  return () => vi.useRealTimers();
});
const passMs = (ms: number) => vi.setSystemTime(Date.now() + ms);

const noTrades: TradeHistory = { trades: new Map(), parties: new Map(), pages: 1 };

async function queueDeposit(): Promise<string> {
  const requestId = newId(START_MS);
  const asked = { requestId, userId: streamer.userId, assets: [asset()] };
  await requestDeposit(db, asked, START_MS, Date.now());
  return requestId;
}

/** A deposit whose sending got no answer, and a bot to whom Steam lists these offers. */
async function uncertainDeposit(
  list: { offers: SentOffer[]; unreadable: number },
  tradesSince: SteamAccount['tradesSince'] = async () => ({
    ok: true,
    value: noTrades,
  }),
) {
  const transferId = await queueDeposit();
  await sendQueued(db, START_MS);
  await db.transaction(async (tx) => {
    await tx.update(transfers).set({ state: 'uncertain', offerId: null }).where(is(transfers.state, 'sent'));
  });
  const receive: AssetName[] = await assetsIn(db, transferId);
  const { securityCode, partnerSteamId, createdAtMs } = await transferOf(db, transferId);
  const offer = (offerId: string, facts: Partial<SentOffer> = {}): SentOffer => ({
    offerId,
    partnerSteamId,
    message: `Keepsake ${securityCode}`,
    state: 'Active',
    tradeId: null,
    createdAtMs,
    items: { give: [], receive },
    ...facts,
  });
  const cancelOffer = vi.fn<SteamAccount['cancelOffer']>(async () => failure('steamBusy', 'later'));
  const { work } = makeTransferWork(db, botId, {
    offersSince: async () => ({ ok: true, value: list }),
    // With their streamer.
    inventory: async () => ({ ok: true, value: receive as unknown as InventoryItem[] }),
    cancelOffer,
    tradesSince,
  });
  const nudge = vi.spyOn(work, 'nudge');
  const round = resolveUncertain(work);
  const rounds = async (amount: number) => {
    for (let nth = 0; nth < amount; nth += 1) {
      passMs(work.pace.absenceMs);
      await round();
    }
  };
  const state = async () => (await transferOf(db, transferId)).state;
  return { transferId, partnerSteamId, createdAtMs, offer, work, nudge, rounds, state, cancelOffer };
}

test('Of several open offers of one transfer the fitting one is taken, and the others are cancelled', async () => {
  const list = { offers: [] as SentOffer[], unreadable: 0 };
  const { transferId, partnerSteamId, offer, rounds, nudge, cancelOffer } = await uncertainDeposit(list);
  const others = { items: { give: [], receive: [{ appId: 730, contextId: '2', assetId: 'other' }] } };
  list.offers = [
    offer('1', { state: 'CreatedNeedsConfirmation' }),
    offer('2', others),
    offer('3'),
    offer('4', { state: 'Declined' }),
  ];
  await rounds(1);
  expect(await transferOf(db, transferId)).toMatchObject({ state: 'sent', offerId: '3' });
  expect(cancelOffer.mock.calls.map(([named]) => named)).toEqual([
    { offerId: '2', partnerSteamId },
    { offerId: '1', partnerSteamId },
  ]);
  expect(nudge).toHaveBeenCalledTimes(1);
});

test('While an offer with other items is open, the transfer is not sent again', async () => {
  const list = { offers: [] as SentOffer[], unreadable: 0 };
  const { transferId, offer, rounds, cancelOffer, nudge } = await uncertainDeposit(list);
  list.offers = [offer('1', { items: { give: [], receive: [] } })];
  await rounds(3);
  expect(await transferOf(db, transferId)).toMatchObject({ state: 'uncertain', cleanPolls: 0 });
  expect(cancelOffer).toHaveBeenCalledTimes(3);
  expect(nudge).not.toHaveBeenCalled();
});

test('Two polls after the first absence, the offer is sent again at once', async () => {
  const { transferId, rounds, nudge } = await uncertainDeposit({ offers: [], unreadable: 0 });
  await rounds(1);
  expect(nudge).not.toHaveBeenCalled();
  await rounds(1);
  expect((await transferOf(db, transferId)).state).toBe('queued');
  expect(nudge).toHaveBeenCalledTimes(1);
});

test('An empty list proves nothing where no offer is known to be open and the history shows the trade', async () => {
  const parties = new Map<string, TradeParties>();
  const list = { offers: [], unreadable: 0 };
  const deposit = await uncertainDeposit(list, async () => ({
    ok: true,
    value: { ...noTrades, parties },
  }));
  const assets = await assetsIn(db, deposit.transferId);
  parties.set('trade-1', { partnerSteamId: deposit.partnerSteamId, assets });
  await deposit.rounds(4);
  expect(await transferOf(db, deposit.transferId)).toMatchObject({ state: 'uncertain', cleanPolls: 0 });
});

test('An empty list proves nothing while no offer is known to be open and the history cannot be read', async () => {
  let isReadable = false;
  const { transferId, rounds, state } = await uncertainDeposit({ offers: [], unreadable: 0 }, async () =>
    isReadable ? { ok: true, value: noTrades } : failure('steamBusy', 'later'),
  );
  await rounds(4);
  expect(await transferOf(db, transferId)).toMatchObject({ state: 'uncertain', cleanPolls: 0 });
  isReadable = true;
  await rounds(2);
  expect(await state()).toBe('queued');
});

const HALF_AN_HOUR_MS = 30 * minute;
const doubts: [what: string, facts: Partial<SentOffer>, beforeMs: number | null, waits: boolean][] = [
  ['without a message', { message: null }, 0, true],
  ['without a partner', { partnerSteamId: null }, 0, true],
  [
    'that waits for its confirmation, without a message',
    { message: null, state: 'CreatedNeedsConfirmation' },
    0,
    true,
  ],
  ['without a message, as old as the search reaches', { message: null }, HALF_AN_HOUR_MS, true],
  ['without a message and a time', { message: null }, null, true],
  ['without a message, from before the search', { message: null }, HALF_AN_HOUR_MS + 1, false],
  ['without a message that is over', { message: null, state: 'Declined' }, 0, false],
  ['with another message', { message: 'sent by hand' }, 0, false],
];
test.each(doubts)(
  'An offer %s keeps the uncertain one from being sent again, or not',
  async (_what, facts, beforeMs, waits) => {
    const list = { offers: [] as SentOffer[], unreadable: 0 };
    const { createdAtMs, offer, rounds, state, work } = await uncertainDeposit(list);
    list.offers = [offer('1', { createdAtMs: beforeMs === null ? null : createdAtMs - beforeMs, ...facts })];
    await rounds(3);
    expect(await state()).toBe(waits ? 'uncertain' : 'queued');
    if (!waits) return;
    passMs(work.pace.doubtMs);
    await rounds(2);
    expect(await state()).toBe('queued');
  },
);

test('So does one that cannot be read, but not one of another transfer', async () => {
  const known = await queueDeposit();
  await sendQueued(db, START_MS);
  const list = { offers: [] as SentOffer[], unreadable: 1 };
  await db.transaction(async (tx) => {
    await tx.update(transfers).set({ state: 'escrowed' });
  });
  const { offer, rounds, state } = await uncertainDeposit(list);
  const { offerId } = await transferOf(db, known);
  list.offers = [offer(offerId ?? '', { message: null })];
  await rounds(3);
  expect(await state()).toBe('uncertain');
  list.unreadable = 0;
  list.offers.push(offer('unknown', { message: null }));
  await rounds(2);
  expect(await state()).toBe('uncertain');
  list.offers.pop();
  await rounds(2);
  expect(await state()).toBe('queued');
});

test('With Steam’s clock behind, offers are looked for by its time', async () => {
  const offersSince = vi.fn<SteamAccount['offersSince']>(async () => failure('steamUnavailable', 'later'));
  const { work, createdAtMs } = await uncertainDeposit({ offers: [], unreadable: 0 });
  Object.assign(work.account()!, { offersSince, clockAheadMs: -hour });
  expect(await resolveUncertain(work)()).toBe(0);
  expect(offersSince).toHaveBeenCalledWith(createdAtMs - hour - HALF_AN_HOUR_MS);
});

test('Without uncertain offers the next round is due when a sending without an answer ends', async () => {
  const { work } = makeTransferWork(db, botId, {});
  const round = resolveUncertain(work);
  expect(await round()).toBeNull();
  await queueDeposit();
  await leaseTransfers(db, { botId, holder: work.holder, limit: 1 }, START_MS, Date.now());
  expect(await round()).toBe(SENDING_LEASE_MS);
});

test('A deposit of which no inventory can be read is sent again only if Steam says whose every offer is', async () => {
  const list = { offers: [] as SentOffer[], unreadable: 1 };
  const { work, rounds, state } = await uncertainDeposit(list);
  work.account()!.inventory = async () => failure('inventoryPrivate', 'never');
  await rounds(1);
  passMs(work.pace.doubtMs);
  await rounds(3);
  expect(await state()).toBe('uncertain');
  list.unreadable = 0;
  await rounds(2);
  expect(await state()).toBe('queued');
});
