import { beforeEach, expect, test, vi } from 'vitest';
import type { SentOffer } from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';
import { testEndpoints } from '#bot/steam/transfers/self-test.ts';
import { transfers } from '#db/schema/transfer.ts';
import { listSelfTests } from '#domain/bot/list-self-tests.ts';
import { newId } from '#domain/kernel/id.ts';
import { listBotTransfers } from '#domain/transfer/list-bot-transfers.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { asset, START_MS, sendQueued } from '#tests/support/fixtures.ts';
import { holdTime, passTime } from '#tests/support/passing-time.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';
import { makeTransferWork } from '#tests/support/transfer-work.ts';

setScene();
beforeEach(() => {
  holdTime();
  return () => vi.useRealTimers();
});

/** A bot with one open deposit, and what Steam shows of it. */
async function withOpenDeposit() {
  const asked = { requestId: newId(START_MS), userId: streamer.userId, assets: [asset('Demo case')] };
  await requestDeposit(db, asked, START_MS, Date.now());
  await sendQueued(db, START_MS);
  const [transfer] = await listBotTransfers(db.read, { botId, states: ['sent'] });
  const offerId = transfer?.offerId ?? '';
  const offer: SentOffer = {
    offerId,
    partnerSteamId: transfer?.partnerSteamId ?? null,
    message: transfer?.securityCode ?? null,
    state: 'Active',
    tradeId: null,
    createdAtMs: START_MS,
    items: null,
  };
  const shown = { list: [offer], single: offer, page: [offerId] as string[] | null, unreadable: 0 };
  const { work } = makeTransferWork(db, botId, {
    offer: async () => ({ ok: true, value: shown.single }),
    offersSince: async () => ({ ok: true, value: { offers: shown.list, unreadable: shown.unreadable } }),
    visitSentOffers: async () =>
      shown.page ? { ok: true, value: shown.page } : failure('steamUnavailable', 'later'),
  });
  const tester = testEndpoints(work);
  const differing = async () =>
    (await listSelfTests(db.read)).flatMap(({ endpoint, difference }) =>
      difference ? [`${endpoint} ${difference}`] : [],
    );
  return { work, shown, offer, tester, differing };
}

test('A difference counts when it is seen again after a pause, and not sooner or if it has passed', async () => {
  const { work, shown, offer, tester, differing } = await withOpenDeposit();
  const { absenceMs, selfTestMs } = work.pace;
  expect(await tester.round()).toBe(selfTestMs);
  shown.list = [];
  expect(await tester.round()).toBe(absenceMs);
  await tester.round();
  expect(await differing()).toEqual([]);
  shown.list = [offer];
  passTime(absenceMs);
  expect(await tester.round()).toBe(selfTestMs);
  shown.list = [];
  await tester.round();
  expect(await differing()).toEqual([]);
  passTime(absenceMs);
  expect(await tester.round()).toBe(selfTestMs);
  expect(await differing()).toEqual(['list absent']);
});

test('An endpoint that cannot be read, or a list with rows that cannot, is neither right nor wrong', async () => {
  const { work, shown, tester, differing } = await withOpenDeposit();
  Object.assign(shown, { list: [], page: null, unreadable: 1 });
  for (let nth = 0; nth < 3; nth += 1) {
    passTime(work.pace.absenceMs);
    await tester.round();
  }
  expect(await listSelfTests(db.read)).toMatchObject([{ endpoint: 'offer', difference: null }]);
  expect(await differing()).toEqual([]);
});

test('The same difference of another offer confirms nothing: each may have been accepted between the readings', async () => {
  const { work, shown, offer, tester, differing } = await withOpenDeposit();
  const { absenceMs } = work.pace;
  shown.single = { ...offer, state: 'Accepted' };
  expect(await tester.round()).toBe(absenceMs);
  const next = { ...offer, offerId: `${offer.offerId}1` };
  await db.transaction(async (tx) => {
    await tx.update(transfers).set({ offerId: next.offerId });
  });
  Object.assign(shown, { list: [next], single: { ...next, state: 'Accepted' }, page: [next.offerId] });
  passTime(absenceMs);
  expect(await tester.round()).toBe(absenceMs);
  expect(await differing()).toEqual([]);
  passTime(absenceMs);
  await tester.round();
  expect(await differing()).toEqual(['list state', 'offer state']);
});

test('Where the list and the offer’s id say different states, both are doubted; an end that both know is none', async () => {
  const { work, shown, offer, tester, differing } = await withOpenDeposit();
  const twice = async () => {
    for (let nth = 0; nth < 2; nth += 1) {
      passTime(work.pace.absenceMs);
      await tester.round();
    }
  };
  const declined = { ...offer, state: 'Declined' as const };
  shown.single = declined;
  shown.list = [declined];
  await twice();
  expect(await listSelfTests(db.read)).toEqual([]);
  shown.list = [offer];
  await twice();
  expect(await differing()).toEqual(['list state', 'offer state']);
  shown.single = { ...offer, message: 'of somebody else' };
  await twice();
  expect(await differing()).toEqual(['offer contents']);
});
