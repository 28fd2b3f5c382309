import { beforeEach, expect, test, vi } from 'vitest';
import { HELD_MS } from '#bot/leases.ts';
import { createLog } from '#bot/log.ts';
import type { SteamAccount } from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';
import { deliverTransfers } from '#bot/steam/transfers/deliver-transfers.ts';
import { untilStored } from '#bot/steam/transfers/until-stored.ts';
import type { Database } from '#db/database.ts';
import { LeaseLost } from '#domain/bot/require-lease.ts';
import { untilSendingMs } from '#domain/bot/sending-pause.ts';
import { newId } from '#domain/kernel/id.ts';
import { hour, minute } from '#domain/kernel/time.ts';
import { leaseTransfers, SENDING_LEASE_MS } from '#domain/transfer/lease-transfers.ts';
import { markLostSendingsUncertain } from '#domain/transfer/mark-lost-sendings-uncertain.ts';
import { reportAbsence } from '#domain/transfer/report-absence.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { asset, nextNumber, START_MS } from '#tests/support/fixtures.ts';
import { heldLease } from '#tests/support/leases.ts';
import { transferOf } from '#tests/support/looking.ts';
import { holdTime, passTime, stepHostClock } from '#tests/support/passing-time.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';
import { makeTransferWork } from '#tests/support/transfer-work.ts';

setScene();
beforeEach(() => {
  holdTime();
  return () => vi.useRealTimers();
});

const stateOf = async (id: string) => (await transferOf(db, id)).state;

async function queueDeposit(): Promise<string> {
  const requestId = newId(START_MS);
  const request = { requestId, userId: streamer.userId, assets: [asset()] };
  await requestDeposit(db, request, START_MS, Date.now());
  return requestId;
}

function deliver(sendOffer: SteamAccount['sendOffer']) {
  const { work } = makeTransferWork(db, botId, { sendOffer });
  return deliverTransfers(work, () => [], new AbortController().signal);
}
const answered = () => ({
  ok: true as const,
  value: { offerId: String(nextNumber()), needsConfirmation: false },
});

test.each([
  ['its turn comes within the minute', () => passTime(minute - 1), true],
  ['it waited for a minute', () => passTime(minute), false],
  ['the machine slept, which its steady clock does not count', () => stepHostClock(minute), false],
])('An offer may start or not: %s', async (_, wait, isAllowed) => {
  await queueDeposit();
  const allowed: boolean[] = [];
  await deliver(async (_request, mayStart) => {
    wait();
    allowed.push(mayStart());
    return answered();
  });
  expect(allowed).toEqual([isAllowed]);
});

test('The late answer of a process that was stopped is not taken for that of the one which sends meanwhile', async () => {
  const id = await queueDeposit();
  await deliver(async () => {
    const another = { botId, holder: 'another', limit: 1 };
    await markLostSendingsUncertain(db, { botId, livingHolder: 'another' }, START_MS, Date.now());
    for (const minutes of [0, 2]) await reportAbsence(db, id, START_MS + minutes * minute);
    expect(await leaseTransfers(db, another, START_MS + hour, Date.now())).toMatchObject([{ id }]);
    return answered();
  });
  expect(await transferOf(db, id)).toMatchObject({ state: 'sending', leaseHolder: 'another', offerId: null });
});

test.each([
  ['is reported once the database is back', { isLost: false, isReported: true }],
  ['is searched for if the lease is lost by then', { isLost: true, isReported: false }],
])('An offer whose result the database did not take %s', async (_, { isLost, isReported }) => {
  const id = await queueDeposit();
  let refusals = 0;
  let isAway = false;
  const store: Database = {
    ...db,
    transaction(decide, options) {
      if (!isAway) return db.transaction(decide, options);
      isAway = ++refusals < 2;
      return Promise.reject(Object.assign(new Error('the database is away'), { code: 'ECONNREFUSED' }));
    },
  };
  const { work } = makeTransferWork(store, botId, {
    async sendOffer() {
      isAway = true;
      return answered();
    },
  });
  Object.assign(work.deps, { lease: heldLease(db, { isLost: () => isLost }) });
  await deliverTransfers(work, () => [], new AbortController().signal).catch(() => {});
  const { state, offerId } = await transferOf(db, id);
  expect({ state, isReported: offerId !== null, refusals }).toEqual({
    state: isReported ? 'sent' : 'sending',
    isReported,
    refusals: 2,
  });
});

const coded = (code: string) => Object.assign(new Error(code), { code });
test.each([
  ['is no outage', [coded('23514'), coded('SQLITE_CONSTRAINT_CHECK'), new Error('a fault')], 0],
  ['is an outage for longer than a sending', [coded('SQLITE_FULL')], SENDING_LEASE_MS],
])(
  'A result that cannot be stored, because of what %s, is left to the search',
  async (_, faults, takesMs) => {
    const signal = new AbortController().signal;
    const deps = { log: createLog('silent'), lease: heldLease(db) };
    for (const fault of faults) {
      const write = vi.fn(async () => {
        passTime(takesMs);
        throw fault;
      });
      await expect(untilStored(write, deps, signal)).rejects.toBe(fault);
      expect(write).toHaveBeenCalledTimes(1);
    }
  },
);

test('A sending whose result can never be stored is no longer under way for its bot', async () => {
  const id = await queueDeposit();
  let isBroken = false;
  const store: Database = {
    ...db,
    transaction: (decide, options) =>
      isBroken ? Promise.reject(coded('23514')) : db.transaction(decide, options),
  };
  const { work } = makeTransferWork(store, botId, {
    async sendOffer() {
      isBroken = true;
      return answered();
    },
  });
  await expect(deliverTransfers(work, () => [], new AbortController().signal)).rejects.toThrow('23514');
  expect(work.delivery).toEqual({ isUnderWay: false, sendingId: null });
  passTime(SENDING_LEASE_MS);
  await markLostSendingsUncertain(db, { botId, livingHolder: work.holder }, START_MS, Date.now());
  expect(await stateOf(id)).toBe('uncertain');
});

test('A process that ends after it has stored a refusal has stored the pause of its account, too', async () => {
  const id = await queueDeposit();
  let hasAnswer = false;
  let stored = 0;
  const store: Database = {
    ...db,
    transaction(decide, options) {
      if (hasAnswer && ++stored > 1) return new Promise(() => {});
      return db.transaction(decide, options);
    },
  };
  const { work } = makeTransferWork(store, botId, {
    async sendOffer() {
      hasAnswer = true;
      return failure('sendingLimited', 'later');
    },
  });
  void deliverTransfers(work, () => [], new AbortController().signal);
  await vi.waitFor(async () => expect([stored > 0, await stateOf(id)]).toEqual([true, 'queued']));
  expect(await untilSendingMs(db.read, botId, Date.now())).toBeGreaterThan(0);
});

test('A result is written again while the lease is not in force yet after an outage', async () => {
  const lost = new LeaseLost({ name: 'steam', holder: 'test', epoch: 1 });
  const write = vi.fn(async () => 'stored').mockRejectedValueOnce(lost);
  const deps = { log: createLog('silent'), lease: heldLease(db) };
  expect(await untilStored(write, deps, new AbortController().signal)).toBe('stored');
});

test.each([
  [HELD_MS / 2, false],
  [HELD_MS / 2 + 1, true],
])('A deposit with %d ms of the bot’s own lease left may be sent: %s', async (leftMs, isAllowed) => {
  await queueDeposit();
  const allowed: boolean[] = [];
  const { work } = makeTransferWork(db, botId, {
    async sendOffer(_request, mayStart) {
      allowed.push(mayStart());
      return answered();
    },
  });
  Object.assign(work.deps, { lease: heldLease(db, { leftMs: () => leftMs }) });
  await deliverTransfers(work, () => [], new AbortController().signal);
  expect(allowed).toEqual([isAllowed]);
});

test('An offer whose sending ends with our lease ends the round, and pauses nothing', async () => {
  const [first, second] = [await queueDeposit(), await queueDeposit()];
  const sendOffer = vi.fn(async () => answered());
  const cutOff = { ...failure('answerLost', 'unknown'), isCutOff: true as const };
  sendOffer.mockResolvedValueOnce(cutOff as never);
  const { work } = makeTransferWork(db, botId, { sendOffer });
  const round = () => deliverTransfers(work, () => [], new AbortController().signal);
  expect(await round()).toBe(0);
  expect([await stateOf(first), await stateOf(second)]).toEqual(['uncertain', 'queued']);
  await round();
  expect(await stateOf(second)).toBe('sent');
  expect(await untilSendingMs(db.read, botId, Date.now())).toBe(0);
});
