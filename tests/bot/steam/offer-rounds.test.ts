import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { SentOffer, SteamAccount, TradeReport } from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';
import { cancelOffers } from '#bot/steam/transfers/cancel-offers.ts';
import { confirmOffers } from '#bot/steam/transfers/confirm-offers.ts';
import { followOffers } from '#bot/steam/transfers/follow-offers.ts';
import { transfers } from '#db/schema/transfer.ts';
import { newId } from '#domain/kernel/id.ts';
import { leaseTransfers } from '#domain/transfer/lease-transfers.ts';
import { DEPOSIT_ANSWER_MS } from '#domain/transfer/offer-limits.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import type { SteamOfferState } from '#domain/transfer/transfer-machine.ts';
import { asset, START_MS } from '#tests/support/fixtures.ts';
import { transferOf } from '#tests/support/looking.ts';
import { holdTime, passTime } from '#tests/support/passing-time.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';
import { makeTransferWork } from '#tests/support/transfer-work.ts';

setScene();
beforeEach(() => {
  holdTime();
  return () => vi.useRealTimers();
});

const stateOf = async (transferId: string) => (await transferOf(db, transferId)).state;

/** Deposits whose offers are on Steam under these ids, after this event. */
async function offerDeposits(event: 'created' | 'sent', ...offerIds: string[]): Promise<string[]> {
  const transferIds: string[] = [];
  for (const offerId of offerIds) {
    const requestId = newId(START_MS);
    const asked = { requestId, userId: streamer.userId, assets: [asset()] };
    await requestDeposit(db, asked, START_MS, Date.now());
    await leaseTransfers(db, { botId, holder: 'test', limit: 1 }, START_MS, Date.now());
    await reportTransfer(db, requestId, { event, offerId }, START_MS);
    transferIds.push(requestId);
  }
  return transferIds;
}

/** A bot to whom Steam shows its offers in these states, by their ids; an offer that is not listed cannot be read. */
function botSeeing(states: Record<string, SteamOfferState>, verbs: Partial<SteamAccount> = {}) {
  const read: string[] = [];
  const { work, time } = makeTransferWork(db, botId, {
    async offer(offerId) {
      read.push(offerId);
      const state = states[offerId];
      if (!state) return failure('steamUnavailable', 'later');
      return { ok: true, value: { offerId, state, tradeId: 't1' } as SentOffer };
    },
    ...verbs,
  });
  const nudge = vi.spyOn(work, 'nudge');
  const stopping = new AbortController();
  return { work, time, states, nudge, stopping, reads: () => read.splice(0) };
}

describe('Confirming', () => {
  const confirming = (states: Record<string, SteamOfferState>, confirm: SteamAccount['confirmOffers']) => {
    const confirmWith = vi.fn(confirm);
    const bot = botSeeing(states, { confirmOffers: confirmWith });
    return { ...bot, confirmWith, round: confirmOffers(bot.work) };
  };
  const refusing: SteamAccount['confirmOffers'] = async () => failure('steamBusy', 'later');

  test('names exactly the offers that wait for it', async () => {
    const [waiting] = await offerDeposits('created', '1');
    await offerDeposits('sent', '2');
    const { confirmWith, round, states } = confirming({}, async (offerIds) => {
      for (const offerId of offerIds) states[offerId] = 'Active';
      return { ok: true, value: null };
    });
    expect(await round()).toBeNull();
    expect(confirmWith.mock.calls).toEqual([[['1']]]);
    expect(await stateOf(waiting!)).toBe('sent');
    expect(await round()).toBeNull();
    expect(confirmWith).toHaveBeenCalledTimes(1);
  });

  test('that fails is tried again after pauses that double five times', async () => {
    await offerDeposits('created', '1');
    const { work, confirmWith, round } = confirming({ 1: 'CreatedNeedsConfirmation' }, refusing);
    const pauses: number[] = [];
    for (let nth = 1; nth <= 7; nth++) {
      const pauseMs = (await round()) ?? 0;
      expect(confirmWith).toHaveBeenCalledTimes(nth);
      passTime(pauseMs - 1);
      expect(await round()).toBe(1);
      expect(confirmWith).toHaveBeenCalledTimes(nth);
      passTime(1);
      pauses.push(pauseMs / work.pace.confirmRetryMs);
    }
    expect(pauses).toEqual([2, 4, 8, 16, 32, 32, 32]);
  });

  test('of one offer does not wait for another that failed before', async () => {
    await offerDeposits('created', '1');
    const { work, confirmWith, round } = confirming({}, refusing);
    await round();
    await offerDeposits('created', '2');
    expect(await round()).toBe(2 * work.pace.confirmRetryMs);
    expect(confirmWith.mock.calls).toEqual([[['1']], [['2']]]);
  });

  test('waits a moment for offers that are being sent, and no longer', async () => {
    await offerDeposits('created', '1');
    const { work, confirmWith, round } = confirming({}, refusing);
    work.pace = { ...work.pace, confirmTogetherMs: 2500 };
    work.delivery.isUnderWay = true;
    expect(await round()).toBe(2500);
    passTime(2499);
    await round();
    expect(confirmWith).not.toHaveBeenCalled();
    passTime(1);
    await round();
    expect(confirmWith).toHaveBeenCalledTimes(1);
    passTime(work.pace.confirmRetryMs * 2);
    expect(await round()).toBe(2500);
    work.delivery.isUnderWay = false;
    await round();
    expect(confirmWith).toHaveBeenCalledTimes(2);
  });

  test('that failed is forgotten once the offer has ended', async () => {
    const [first, second] = await offerDeposits('created', '1', '2');
    const { work, round } = confirming({}, refusing);
    await round();
    passTime(2 * work.pace.confirmRetryMs);
    await reportTransfer(db, first!, { event: 'cancelled' }, START_MS);
    expect(await round()).toBe(4 * work.pace.confirmRetryMs);
    await reportTransfer(db, second!, { event: 'cancelled' }, START_MS);
    expect(await round()).toBeNull();
  });
});

describe('Following', () => {
  const following = async (...offerIds: string[]) => {
    const transferIds = await offerDeposits('sent', ...offerIds);
    const bot = botSeeing(Object.fromEntries(offerIds.map((offerId) => [offerId, 'Active'])));
    const follower = followOffers(bot.work);
    const round = () => follower.round(bot.stopping.signal);
    return { ...bot, ...follower, round, transferIds };
  };

  test('reads what Steam said has changed, and at intervals everything', async () => {
    const { work, round, reads, markChanged, markAllChanged } = await following('1', '2');
    expect(await round()).toBe(work.pace.followMs);
    expect(reads()).toEqual(['1', '2']);
    passTime(work.pace.followMs - 1);
    expect(await round()).toBe(1);
    expect(reads()).toEqual([]);
    markChanged('2');
    expect(await round()).toBe(1);
    expect(reads()).toEqual(['2']);
    await round();
    expect(reads()).toEqual([]);
    passTime(1);
    await round();
    expect(reads()).toEqual(['1', '2']);
    markAllChanged();
    await round();
    expect(reads()).toEqual(['1', '2']);
  });

  test('looks at once in the list for an offer that Steam gives by no id, whenever it says that it has changed', async () => {
    const { round, states, work, markChanged } = await following('1');
    const account = work.account()!;
    account.offer = async () => failure('offerUnknown', 'later');
    const list = vi.fn(async () => {
      const offers = [{ offerId: '1', state: states['1'], tradeId: null } as SentOffer];
      return { ok: true, value: { offers, unreadable: 0 } } as const;
    });
    account.offersSince = list;
    for (const _round of [1, 2]) await round();
    passTime(work.pace.arrivalRetryMs + work.pace.followMs);
    for (const _round of [1, 2]) await round();
    expect(list).toHaveBeenCalledTimes(2);
    states['1'] = 'Declined';
    markChanged('1');
    await round();
    expect(list).toHaveBeenCalledTimes(3);
    expect(await round()).toBe(null);
  });

  test('lets the polls rest while no offer is open', async () => {
    const { work, round, states } = await following('1');
    const pollEvery = vi.spyOn(work, 'pollEvery');
    work.pace = { ...work.pace, pollMs: 15_000, restingPollMs: 60_000 };
    await round();
    expect(pollEvery).toHaveBeenLastCalledWith(15_000);
    states['1'] = 'Declined';
    passTime(work.pace.followMs);
    await round();
    await round();
    expect(pollEvery).toHaveBeenLastCalledWith(60_000);
    await offerDeposits('created', '2');
    await round();
    expect(pollEvery).toHaveBeenLastCalledWith(15_000);
  });

  test('reads an offer again at once that could not be read, or is accepted without its assets', async () => {
    const { round, reads, states, work, transferIds } = await following('1', '2');
    delete states['2'];
    states['1'] = 'Accepted';
    const pending = { ok: true, value: { standing: 'pending', moved: [] } as TradeReport } as const;
    work.account()!.getTrade = async () => pending;
    expect(await round()).toBe(0);
    expect(reads()).toEqual(['1', '2']);
    states['2'] = 'Active';
    expect(await round()).toBe(0);
    expect(reads()).toEqual(['1', '2']);
    states['1'] = 'Active';
    expect(await round()).toBe(work.pace.followMs);
    expect(reads()).toEqual(['1']);
    expect(await Promise.all(transferIds.map(stateOf))).toEqual(['sent', 'sent']);
  });

  test('ends the pauses before the list is read again for Steam’s changes only, not for its own readings', async () => {
    const offersSince = vi.fn<SteamAccount['offersSince']>(async () => failure('steamUnavailable', 'later'));
    const { round, markChanged, work } = await following('1');
    Object.assign(work.account()!, { offersSince, offer: async () => failure('steamUnavailable', 'later') });
    await round();
    work.account()!.offer = async () => failure('offerUnknown', 'later');
    for (const _own of [1, 2]) await round();
    expect(offersSince).toHaveBeenCalledTimes(1);
    markChanged('1');
    await round();
    expect(offersSince).toHaveBeenCalledTimes(2);
  });

  test('goes on with the next offer when what Steam says of one cannot be booked', async () => {
    const { round, states, nudge, work, transferIds } = await following('1', '2');
    Object.assign(states, { 1: 'Accepted', 2: 'Declined' });
    work.account()!.getTrade = async () => {
      throw new Error('no answer has this form');
    };
    expect(await round()).toBe(0);
    expect(await Promise.all(transferIds.map(stateOf))).toEqual(['sent', 'declined']);
    expect(nudge).toHaveBeenCalledTimes(1);
  });

  test('wakes the others for a change only', async () => {
    const { round, states, nudge, markChanged, transferIds } = await following('1', '2');
    await round();
    expect(nudge).not.toHaveBeenCalled();
    states['1'] = 'Declined';
    markChanged('1');
    await round();
    expect(nudge).toHaveBeenCalledTimes(1);
    expect(await stateOf(transferIds[0]!)).toBe('declined');
  });

  test('ends with the process, and without open offers', async () => {
    const { round, reads, states, stopping, work } = await following('1');
    states['1'] = 'Declined';
    await round();
    reads();
    passTime(work.pace.followMs);
    expect(await round()).toBeNull();
    expect(reads()).toEqual([]);
    await offerDeposits('sent', '2');
    stopping.abort();
    passTime(work.pace.followMs);
    expect(await round()).toBeNull();
    expect(reads()).toEqual([]);
  });
});

describe('Cancelling', () => {
  const cancelling = (states: Record<string, SteamOfferState>, verbs: Partial<SteamAccount> = {}) => {
    const cancelOffer = vi.fn<SteamAccount['cancelOffer']>(async ({ offerId }) => {
      states[offerId] = 'Canceled';
      return { ok: true, value: null };
    });
    const bot = botSeeing(states, { cancelOffer, ...verbs });
    const round = () => cancelOffers(bot.work, bot.stopping.signal);
    return { ...bot, cancelOffer, round };
  };
  const change = (facts: Partial<typeof transfers.$inferInsert>) =>
    db.transaction(async (tx) => {
      await tx.update(transfers).set(facts);
    });

  test('happens when the time to answer is over, and not a millisecond earlier', async () => {
    const [transferId] = await offerDeposits('sent', '1');
    await offerDeposits('created', '2');
    const { cancelAtMs } = await transferOf(db, transferId!);
    const { round, time, cancelOffer } = cancelling({ 1: 'Active', 2: 'CreatedNeedsConfirmation' });
    expect(await round()).toBe(DEPOSIT_ANSWER_MS);
    time.nowMs = (cancelAtMs ?? 0) - 1;
    expect(await round()).toBe(1);
    expect(cancelOffer).not.toHaveBeenCalled();
    time.nowMs += 1;
    expect(await round()).toBe(0);
    expect(cancelOffer.mock.calls.map(([{ offerId }]) => offerId)).toEqual(['1', '2']);
    expect(await stateOf(transferId!)).toBe('cancelled');
    expect(await round()).toBeNull();
  });

  test('of what is no longer wanted happens at once, without Steam where Steam has no offer yet', async () => {
    const [transferId] = await offerDeposits('sent', '1');
    await change({ state: 'queued', offerId: null, sentAtMs: null, cancelWanted: true });
    const { round, cancelOffer } = cancelling({});
    await round();
    expect(await stateOf(transferId!)).toBe('cancelled');
    expect(cancelOffer).not.toHaveBeenCalled();
  });

  test('that comes too late finds the offer as it has become', async () => {
    const [transferId] = await offerDeposits('sent', '1');
    await change({ cancelWanted: true });
    const { round, states } = cancelling(
      { 1: 'Declined' },
      { cancelOffer: async () => failure('offerClosed', 'never') },
    );
    delete states['1'];
    expect(await round()).toBe(0);
    expect(await stateOf(transferId!)).toBe('sent');
    states['1'] = 'Declined';
    await round();
    expect(await stateOf(transferId!)).toBe('declined');
  });

  test('whose outcome cannot be read leaves the transfer as it is', async () => {
    const [transferId] = await offerDeposits('sent', '1');
    await change({ cancelWanted: true });
    const states: Record<string, SteamOfferState> = { 1: 'Active' };
    const { round, cancelOffer } = cancelling(states);
    cancelOffer.mockImplementationOnce(async ({ offerId }) => {
      delete states[offerId];
      return { ok: true, value: null };
    });
    expect(await round()).toBe(0);
    expect(await stateOf(transferId!)).toBe('sent');
    states['1'] = 'Canceled';
    await round();
    expect(await stateOf(transferId!)).toBe('cancelled');
  });

  test('does not happen to an offer without a time to answer', async () => {
    await offerDeposits('sent', '1');
    await change({ cancelAtMs: null });
    const { round, cancelOffer } = cancelling({ 1: 'Active' });
    expect(await round()).toBeNull();
    expect(cancelOffer).not.toHaveBeenCalled();
  });

  test('leaves alone what was accepted, and an offer that is not the transfer’s', async () => {
    await offerDeposits('sent', '1', '2');
    await change({ cancelWanted: true });
    const { round, cancelOffer, work } = cancelling({ 1: 'Accepted', 2: 'Active' });
    const { offer } = work.account()!;
    work.account()!.getTrade = async () => ({ ok: true, value: { standing: 'pending', moved: [] } });
    work.account()!.offer = async (offerId) => {
      const shown = await offer(offerId);
      return shown.ok && offerId === '2'
        ? { ok: true, value: { ...shown.value, message: 'Keepsake AAAA-AAAA' } }
        : shown;
    };
    expect(await round()).toBe(0);
    expect(cancelOffer).not.toHaveBeenCalled();
  });

  test('and following leave an accepted deposit that is not found alone for pauses that grow', async () => {
    const [transferId] = await offerDeposits('sent', '1');
    await change({ cancelWanted: true });
    const inventory = vi.fn<SteamAccount['inventory']>(async () => ({ ok: true, value: [] }));
    const { work, stopping } = cancelling({ 1: 'Accepted' }, { inventory });
    work.account()!.getTrade = async () => ({ ok: true, value: { standing: 'complete', moved: [] } });
    work.pace = { ...work.pace, followMs: 120_000, arrivalMs: 0, arrivalRetryMs: 60_000 };
    const follower = followOffers(work);
    const readsIn = async (ms: number) => {
      inventory.mockClear();
      for (let passed = 0; passed < ms; passed += 10_000) {
        await cancelOffers(work, stopping.signal);
        await follower.round(stopping.signal);
        passTime(10_000);
      }
      return inventory.mock.calls.length;
    };
    const perSearch = 2;
    expect(await readsIn(60_000)).toBe(perSearch);
    expect(await readsIn(120_000)).toBe(perSearch);
    expect(await readsIn(60 * 60_000)).toBeLessThanOrEqual(6 * perSearch);
    await cancelOffers(work, stopping.signal);
    expect(await cancelOffers(work, stopping.signal)).toBeNull();
    expect(await follower.round(stopping.signal)).toBeGreaterThan(0);
    expect(await stateOf(transferId!)).toBe('sent');
  });

  test('ends with the process', async () => {
    await offerDeposits('sent', '1');
    await change({ cancelWanted: true });
    const { round, stopping, cancelOffer } = cancelling({ 1: 'Active' });
    stopping.abort();
    expect(await round()).toBeNull();
    expect(cancelOffer).not.toHaveBeenCalled();
  });
});
