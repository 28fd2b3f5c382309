import { expect, test, vi } from 'vitest';
import type { SentOffer, SteamAccount } from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';
import { cancelStrays } from '#bot/steam/transfers/cancel-strays.ts';
import { offerMessageOf } from '#bot/steam/transfers/offer-message.ts';
import { transfers } from '#db/schema/transfer.ts';
import { newId } from '#domain/kernel/id.ts';
import { hour } from '#domain/kernel/time.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { asset, START_MS, sendQueued } from '#tests/support/fixtures.ts';
import { transferOf } from '#tests/support/looking.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';
import { makeTransferWork } from '#tests/support/transfer-work.ts';

setScene();

/** A deposit on Steam, under an offer of its own. */
async function sentDeposit() {
  const requestId = newId(START_MS);
  const asked = { requestId, userId: streamer.userId, assets: [asset()] };
  await requestDeposit(db, asked, START_MS, Date.now());
  await sendQueued(db, START_MS);
  return transferOf(db, requestId);
}

const PARTNER = '76561198000000001';
const offer = (offerId: string, facts: Partial<SentOffer> = {}, securityCode = 'AAAA-2222') =>
  ({
    offerId,
    partnerSteamId: PARTNER,
    message: offerMessageOf({ kind: 'claim', securityCode }, 'TESTED'),
    state: 'Active',
    ...facts,
  }) as SentOffer;

/** Returns which of the listed offers are cancelled, and the time since which they were requested. */
async function cancelled(
  offers: SentOffer[],
  verbs: Partial<SteamAccount> = {},
  stopping = new AbortController(),
) {
  const ids: string[] = [];
  const offersSince = vi.fn<SteamAccount['offersSince']>(async () => ({
    ok: true,
    value: { offers, unreadable: 0 },
  }));
  const { work } = makeTransferWork(db, botId, {
    offersSince,
    async cancelOffer({ offerId, partnerSteamId }) {
      expect(partnerSteamId).toBe(PARTNER);
      ids.push(offerId);
      return { ok: true, value: null };
    },
    ...verbs,
  });
  await cancelStrays(work, stopping.signal);
  return { ids, since: offersSince.mock.calls.map(([sinceMs]) => sinceMs) };
}

test('An open offer of ours that no transfer has is cancelled, whether or not it was confirmed', async () => {
  const { offerId } = await sentDeposit();
  const unconfirmed = offer('2', { state: 'CreatedNeedsConfirmation' });
  const listed = [offer('1'), unconfirmed, offer(offerId ?? '')];
  expect((await cancelled(listed)).ids).toEqual(['1', '2']);
});

test('An offer that is over, or somebody else’s, or without a partner is left alone', async () => {
  const others = [
    offer('1', { state: 'Declined' }),
    offer('2', { message: 'sent by hand' }),
    offer('3', { message: null }),
    offer('4', { partnerSteamId: null }),
  ];
  expect((await cancelled(others)).ids).toEqual([]);
});

test('An offer whose sending has no answer yet is left to those who look for it', async () => {
  const { securityCode } = await sentDeposit();
  for (const state of ['sending', 'uncertain'] as const) {
    await db.transaction(async (tx) => {
      await tx.update(transfers).set({ state, offerId: null });
    });
    expect((await cancelled([offer('1', {}, securityCode), offer('2')])).ids).toEqual(['2']);
  }
});

test('Offers are listed from now on by the slower clock, which gives all that are open', async () => {
  expect((await cancelled([])).since).toEqual([START_MS]);
  expect((await cancelled([], { clockAheadMs: hour })).since).toEqual([START_MS]);
  expect((await cancelled([], { clockAheadMs: -hour })).since).toEqual([START_MS - hour]);
});

test('Nothing is cancelled while the list cannot be read, or the process stops', async () => {
  const unread = { offersSince: async () => failure('steamUnavailable', 'later') };
  expect((await cancelled([offer('1')], unread)).ids).toEqual([]);
  const stopping = new AbortController();
  const cancelOffer = vi.fn<SteamAccount['cancelOffer']>(async () => {
    stopping.abort();
    return failure('steamBusy', 'later');
  });
  await cancelled([offer('1'), offer('2')], { cancelOffer }, stopping);
  expect(cancelOffer).toHaveBeenCalledTimes(1);
});
