import { eq } from 'drizzle-orm';
import { beforeEach, expect, test, vi } from 'vitest';
import type { SentOffer, SteamAccount, TradeParties } from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';
import { doubtAbout, pageFor } from '#bot/steam/transfers/find-hidden.ts';
import { resolveUncertain } from '#bot/steam/transfers/resolve-uncertain.ts';
import { transfers } from '#db/schema/transfer.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';
import { leaseTransfers, SENDING_LEASE_MS } from '#domain/transfer/lease-transfers.ts';
import { addPerson, START_MS, sendQueued } from '#tests/support/fixtures.ts';
import { assetsIn, transferOf } from '#tests/support/looking.ts';
import { holdTime, passTime } from '#tests/support/passing-time.ts';
import { botId, db, setScene } from '#tests/support/scene.ts';
import { makeTransferWork } from '#tests/support/transfer-work.ts';
import { noTrades, queueDeposit, uncertainDeposit } from '#tests/support/uncertain-deposit.ts';

setScene();
beforeEach(() => {
  holdTime();
  return () => vi.useRealTimers();
});

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
  // One that took a part of a stack leaves open what became of the rest.
  const ofPart = assets.map((asset) => ({ ...asset, amount: 3 }));
  parties.set('trade-1', { partnerSteamId: deposit.partnerSteamId, assets: ofPart });
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

test('An empty list proves nothing while the page of sent offers, or an offer on it, cannot be read', async () => {
  const { transferId, offer, rounds, page } = await uncertainDeposit({ offers: [], unreadable: 0 });
  page.shown = failure('steamBusy', 'later');
  await rounds(3);
  page.shown = { ok: true, value: ['5', '9'] };
  page.offers['5'] = { ok: true, value: offer('5', { message: 'of somebody else' }) };
  await rounds(20);
  expect(await transferOf(db, transferId)).toMatchObject({ state: 'uncertain', cleanPolls: 0 });
  page.offers['9'] = { ok: true, value: offer('9') };
  await rounds(60);
  expect(await transferOf(db, transferId)).toMatchObject({ state: 'sent', offerId: '9' });
});

const SEARCHED_BEFORE_MS = day + 30 * minute;
const canaries: [games: string, appIds: number[], known: number[][], isProof: boolean, isOver?: true][] = [
  ['its game', [730], [[440], [730]], true],
  ['each of its games', [730, 440], [[440], [730]], true],
  ['another game', [730], [[440]], false],
  ['one of its games', [730, 440], [[440]], false],
  ['its game and another at once', [730], [[730, 440]], false],
  ['its game, but over by now,', [730], [[730]], false, true],
];
test.each(canaries)(
  'A list that shows known offers of %s proves an uncertain one absent by itself, or not',
  async (_games, appIds, known, isProof, isOver) => {
    const list = { offers: [] as SentOffer[], unreadable: 0 };
    const tradesSince = vi.fn<SteamAccount['tradesSince']>(async () => failure('steamBusy', 'later'));
    const { offer, rounds, state } = await uncertainDeposit(list, tradesSince, appIds);
    for (const games of known) {
      const id = await queueDeposit(games, await addPerson(db));
      await sendQueued(db, START_MS);
      const { offerId } = await transferOf(db, id);
      const state = isOver ? 'Declined' : 'Active';
      list.offers.push(offer(offerId ?? '', { message: 'of another transfer', state }));
    }
    await rounds(3);
    expect(await state()).toBe(isProof ? 'queued' : 'uncertain');
    expect(tradesSince.mock.calls.length > 0).toBe(!isProof);
  },
);

const shownOnPage: [what: string, facts: Partial<SentOffer>, beforeMs: number | null, waits: boolean][] = [
  ['without a message', { message: null }, 0, true],
  ['without a partner, as old as the search reaches', { partnerSteamId: null }, SEARCHED_BEFORE_MS, true],
  ['without a message and a time', { message: null }, null, true],
  ['without a message, from before the search', { message: null }, SEARCHED_BEFORE_MS + 1, false],
  ['with another message', { message: 'sent by hand' }, 0, false],
];
test.each(shownOnPage)(
  'An unlisted offer %s on the page of sent offers keeps the uncertain one from being sent again, or not',
  async (_what, facts, beforeMs, waits) => {
    const { createdAtMs, offer, rounds, state, page } = await uncertainDeposit({ offers: [], unreadable: 0 });
    page.shown = { ok: true, value: ['9'] };
    const shown = offer('9', { createdAtMs: beforeMs === null ? null : createdAtMs - beforeMs, ...facts });
    page.offers['9'] = { ok: true, value: shown };
    await rounds(20);
    expect(await state()).toBe(waits ? 'uncertain' : 'queued');
    if (!waits) return;
    page.offers['9'] = { ok: true, value: { ...shown, state: 'Declined' } };
    await rounds(60);
    expect(await state()).toBe('queued');
  },
);

test('What waits for an uncertain offer is forgotten once its transfer has ended otherwise', async () => {
  const list = { offers: [] as SentOffer[], unreadable: 1 };
  const { transferId, round, rounds, page, work } = await uncertainDeposit(list);
  page.shown = failure('steamBusy', 'later');
  await rounds(1);
  passTime(work.pace.doubtMs);
  await rounds(1);
  const waits = () => [
    work.patience.isPaused(pageFor(transferId)),
    work.patience.isOver(doubtAbout(transferId), 1),
  ];
  expect(waits()).toEqual([true, true]);
  await db.transaction(async (tx) => {
    await tx.update(transfers).set({ state: 'cancelled' }).where(eq(transfers.id, transferId));
  });
  await round();
  expect(waits()).toEqual([false, false]);
});

const doubts: [what: string, facts: Partial<SentOffer>, beforeMs: number | null, waits: boolean][] = [
  ['without a message', { message: null }, 0, true],
  ['without a partner', { partnerSteamId: null }, 0, true],
  [
    'that waits for its confirmation, without a message',
    { message: null, state: 'CreatedNeedsConfirmation' },
    0,
    true,
  ],
  ['without a message, as old as the search reaches', { message: null }, SEARCHED_BEFORE_MS, true],
  ['without a message and a time', { message: null }, null, true],
  ['without a message, from before the search', { message: null }, SEARCHED_BEFORE_MS + 1, false],
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
    passTime(work.pace.doubtMs);
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
  expect(offersSince).toHaveBeenCalledWith(createdAtMs - SEARCHED_BEFORE_MS - hour);
});

test('An offer that was requested while the clock was ahead is looked for before that time', async () => {
  const offersSince = vi.fn<SteamAccount['offersSince']>(async () => failure('steamUnavailable', 'later'));
  const { work, createdAtMs } = await uncertainDeposit({ offers: [], unreadable: 0 });
  Object.assign(work.account()!, { offersSince });
  const correctedMs = createdAtMs - 5 * hour;
  work.deps.clock.now = () => correctedMs;
  await resolveUncertain(work)();
  expect(offersSince.mock.calls[0]?.[0]).toBeLessThanOrEqual(correctedMs - 12 * hour);
});

test('An offer that was requested while the clock was ahead is found once the clock has caught up with that time', async () => {
  const list = { offers: [] as SentOffer[], unreadable: 0 };
  const { work, transferId, createdAtMs, offer, rounds } = await uncertainDeposit(list);
  work.deps.clock.now = () => createdAtMs + hour;
  const declined = offer('1', { state: 'Declined', createdAtMs: createdAtMs - 5 * hour });
  work.account()!.offersSince = async (sinceMs) => ({
    ok: true,
    value: { ...list, offers: [declined].filter((each) => (each.createdAtMs ?? 0) >= sinceMs) },
  });
  await rounds(1);
  expect((await transferOf(db, transferId)).offerId).toBe('1');
});

test('A request after the clock was put back does not hide what came of one before', async () => {
  const list = { offers: [] as SentOffer[], unreadable: 0 };
  const { work, transferId, createdAtMs, offer, rounds, state } = await uncertainDeposit(list);
  const correctedMs = createdAtMs - 5 * hour;
  work.deps.clock.now = () => correctedMs;
  const later = await queueDeposit();
  await sendQueued(db, START_MS);
  await db.transaction(async (tx) => {
    const changes = { state: 'uncertain', offerId: null, createdAtMs: correctedMs } as const;
    await tx.update(transfers).set(changes).where(eq(transfers.id, later));
  });
  const declined = offer('1', { state: 'Declined', createdAtMs: correctedMs - hour });
  work.account()!.offersSince = async (sinceMs) => ({
    ok: true,
    value: { ...list, offers: [declined].filter((each) => (each.createdAtMs ?? 0) >= sinceMs) },
  });
  await rounds(1);
  expect((await transferOf(db, transferId)).offerId).toBe('1');
  expect(await state()).not.toBe('uncertain');
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
  passTime(work.pace.doubtMs);
  await rounds(3);
  expect(await state()).toBe('uncertain');
  list.unreadable = 0;
  await rounds(2);
  expect(await state()).toBe('queued');
});
