import { eq } from 'drizzle-orm';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { InventoryItem, OfferRequest, SteamAccount } from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';
import { deliverTransfers, MAX_ATTEMPTS, MAX_OWN_ATTEMPTS } from '#bot/steam/transfers/deliver-transfers.ts';
import { resolveUncertain } from '#bot/steam/transfers/resolve-uncertain.ts';
import { is } from '#db/dialect.ts';
import { bots } from '#db/schema/bot.ts';
import { transfers } from '#db/schema/transfer.ts';
import { resumeSending, stopSending } from '#domain/bot/stop-sending.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { settleDrift } from '#domain/custody/settle-drift.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, hour, minute, second } from '#domain/kernel/time.ts';
import { leaseTransfers } from '#domain/transfer/lease-transfers.ts';
import { markLostSendingsUncertain } from '#domain/transfer/mark-lost-sendings-uncertain.ts';
import { MAX_OPEN_OFFERS, ownPlaces } from '#domain/transfer/offer-limits.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { returnItems } from '#domain/transfer/return-items.ts';
import { driftOutgoing } from '#tests/support/drift.ts';
import { addPerson, asset, deposit, nextNumber, START_MS, sendQueued } from '#tests/support/fixtures.ts';
import { itemsOf, transferOf } from '#tests/support/looking.ts';
import { holdTime, passTime, stepHostClock } from '#tests/support/passing-time.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';
import { makeTransferWork } from '#tests/support/transfer-work.ts';

setScene();
beforeEach(() => {
  holdTime();
  return () => vi.useRealTimers();
});

const answered = (needsConfirmation: boolean) => ({
  ok: true as const,
  value: { offerId: String(nextNumber()), needsConfirmation },
});
const sent: SteamAccount['sendOffer'] = async () => answered(false);

async function queueDeposit(): Promise<string> {
  const requestId = newId(START_MS);
  const asked = { requestId, userId: streamer.userId, assets: [asset()] };
  await requestDeposit(db, asked, START_MS, Date.now());
  return requestId;
}

/** An item of the streamer on its way back, and its asset. */
async function queueReturn() {
  await deposit(db, streamer, [asset()], START_MS - 8 * day);
  const [item] = await itemsOf(db, streamer.userId);
  const requestId = newId(START_MS);
  await returnItems(db, { requestId, userId: streamer.userId, itemIds: [item!.id] }, START_MS);
  return { transferId: requestId, assetId: item!.assetId };
}

const visitSentOffers: SteamAccount['visitSentOffers'] = async () => ({ ok: true, value: [] });

/** A worker whose bot sends with this verb. */
function delivering(sendOffer: SteamAccount['sendOffer'], verbs: Partial<SteamAccount> = {}) {
  const { work, time } = makeTransferWork(db, botId, { sendOffer, visitSentOffers, ...verbs });
  const nudge = vi.spyOn(work, 'nudge');
  const reconcileSoon = vi.spyOn(work, 'reconcileSoon');
  const stopping = new AbortController();
  const round = () => deliverTransfers(work, () => [], stopping.signal);
  return { work, time, nudge, reconcileSoon, stopping, round };
}

const holding = (...assetIds: string[]) =>
  vi.fn<SteamAccount['inventory']>(async () => ({
    ok: true,
    value: assetIds.map((assetId) => ({ assetId })) as InventoryItem[],
  }));

test('A deposit asks for the streamer’s assets; a return gives ours', async () => {
  const requests: OfferRequest[] = [];
  const deposited = await queueDeposit();
  const send: SteamAccount['sendOffer'] = async (request) => {
    requests.push(request);
    return answered(false);
  };
  await delivering(send).round();
  const { transferId, assetId } = await queueReturn();
  await delivering(send, { inventory: holding(assetId) }).round();
  expect(requests).toMatchObject([
    { give: [], receive: [{ appId: 730 }], partnerSteamId: streamer.steamId, tradeToken: 'tokenABC' },
    { give: [{ appId: 730, contextId: '2', assetId }], receive: [] },
  ]);
  for (const [nth, id] of [deposited, transferId].entries()) {
    const { securityCode, state } = await transferOf(db, id);
    expect(state).toBe('sent');
    expect(requests[nth]?.message).toContain(securityCode);
    expect(requests[nth]?.message.length).toBeLessThanOrEqual(128);
  }
});

test('An offer that waits for the authenticator, or whose answer was lost, wakes those who go on with it', async () => {
  const id = await queueDeposit();
  const { round, nudge } = delivering(async () => answered(true));
  await round();
  expect(await transferOf(db, id)).toMatchObject({ state: 'unconfirmed' });
  expect(nudge).toHaveBeenCalledTimes(1);

  const lost = await queueDeposit();
  const unlucky = delivering(async () => failure('answerLost', 'unknown'));
  await unlucky.round();
  expect(await transferOf(db, lost)).toMatchObject({ state: 'uncertain', lastError: 'answerLost' });
  expect(unlucky.nudge).toHaveBeenCalledTimes(1);

  await queueDeposit();
  const plain = delivering(sent);
  await plain.round();
  expect(plain.nudge).not.toHaveBeenCalled();
});

describe('An offer that Steam puts off', () => {
  beforeEach(() => {
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    return () => vi.restoreAllMocks();
  });

  test('is tried again after pauses that double, up to half an hour, and given up after twelve attempts', async () => {
    const id = await queueDeposit();
    const { round, time } = delivering(async () => failure('offerUnknown', 'later'));
    const pauses: number[] = [];
    for (;;) {
      await round();
      const { state, runAtMs } = await transferOf(db, id);
      if (state !== 'queued') break;
      pauses.push((runAtMs - time.nowMs) / second);
      time.nowMs = runAtMs;
    }
    expect(pauses).toEqual([20, 40, 80, 160, 320, 640, 1280, 1800, 1800, 1800, 1800]);
    expect(pauses).toHaveLength(MAX_ATTEMPTS - 1);
    expect(await transferOf(db, id)).toMatchObject({ state: 'failed', lastError: 'offerUnknown' });
  });

  test.each(['steamBusy', 'offerLimit'] as const)(
    'because Steam or the bot cannot send is tried again for about a day: %s',
    async (code) => {
      const id = await queueDeposit();
      const { round, time } = delivering(async () => failure(code, 'later'));
      for (let attempts = 1; (await transferOf(db, id)).state === 'queued'; attempts++) {
        expect(attempts).toBeLessThanOrEqual(MAX_OWN_ATTEMPTS);
        await round();
        time.nowMs = Math.max(time.nowMs, (await transferOf(db, id)).runAtMs);
      }
      expect(await transferOf(db, id)).toMatchObject({ state: 'failed', lastError: code });
      expect(Math.round((time.nowMs - START_MS) / hour)).toBe(24);
    },
  );

  test('is tried again at a moment that differs by a fifth, so that many do not come at once', async () => {
    const id = await queueDeposit();
    for (const [random, seconds] of [
      [0, 16],
      [1, 48],
    ] as const) {
      vi.mocked(Math.random).mockReturnValue(random);
      const { round, time } = delivering(async () => failure('offerLimit', 'later'));
      time.nowMs = (await transferOf(db, id)).runAtMs;
      await round();
      expect((await transferOf(db, id)).runAtMs - time.nowMs).toBe(seconds * second);
    }
  });
});

test('However many offers of a round are refused as too many, the page of sent offers is visited once', async () => {
  const { transferId: first, assetId } = await queueReturn();
  const [second, third] = [await queueDeposit(), await queueDeposit()];
  const visits = vi.fn(visitSentOffers).mockResolvedValueOnce(failure('steamUnavailable', 'later'));
  const answers = vi.fn(sent);
  for (let refused = 0; refused < 2; refused += 1)
    answers.mockImplementationOnce(async () => failure('offerLimit', 'later'));
  const { round, time } = delivering(answers, {
    visitSentOffers: visits,
    inventory: holding(assetId),
  });
  await round();
  const states = async () =>
    Promise.all([first, second, third].map(async (id) => (await transferOf(db, id)).state));
  expect([await states(), visits.mock.calls.length]).toEqual([['queued', 'queued', 'sent'], 1]);
  time.nowMs += minute;
  answers.mockImplementationOnce(async () => failure('offerLimit', 'later'));
  await round();
  expect([await states(), visits.mock.calls.length]).toEqual([['queued', 'sent', 'sent'], 2]);
});

test('An offer that was started too often is never sent', async () => {
  const id = await queueDeposit();
  await db.transaction(async (tx) => {
    await tx.update(transfers).set({ attempts: MAX_OWN_ATTEMPTS });
  });
  const sendOffer = vi.fn(sent);
  await delivering(sendOffer).round();
  expect(sendOffer).not.toHaveBeenCalled();
  expect(await transferOf(db, id)).toMatchObject({ state: 'failed', lastError: 'steamUnavailable' });
});

test('A refusal of one offer leaves the others their turn; trouble of the bot itself does not', async () => {
  const [refused, next] = [await queueDeposit(), await queueDeposit()];
  const first = failure('partnerCannotTrade', 'never');
  const answers = vi.fn(sent).mockResolvedValueOnce(first);
  await delivering(answers).round();
  expect((await transferOf(db, refused)).state).toBe('failed');
  expect((await transferOf(db, next)).state).toBe('sent');

  await queueDeposit();
  await queueDeposit();
  for (const code of ['steamSessionLost', 'steamBusy', 'steamUnavailable', 'botRestricted'] as const) {
    const sendOffer = vi.fn<SteamAccount['sendOffer']>(async () => failure(code, 'later'));
    const { round, time } = delivering(sendOffer);
    time.nowMs = START_MS + day;
    expect(await round()).toBe(0);
    expect(sendOffer, code).toHaveBeenCalledTimes(1);
    await db.transaction(async (tx) => {
      await tx.update(transfers).set({ runAtMs: START_MS }).where(is(transfers.state, 'queued'));
    });
  }
});

test('A missing item of ours is looked for at once; one that a depositor lacks is not', async () => {
  const gone = failure('itemUnavailable', 'never');
  await queueDeposit();
  const asking = delivering(async () => gone);
  await asking.round();
  expect(asking.reconcileSoon).not.toHaveBeenCalled();

  const { transferId } = await queueReturn();
  const sendOffer = vi.fn(sent);
  const giving = delivering(sendOffer, { inventory: holding() });
  await giving.round();
  expect(sendOffer).not.toHaveBeenCalled();
  expect(giving.reconcileSoon).toHaveBeenCalledTimes(1);
  expect((await transferOf(db, transferId)).state).toBe('failed');
});

test('While the process stops, or once the lease was lost meanwhile, nothing is sent', async () => {
  const { transferId, assetId } = await queueReturn();
  const sendOffer = vi.fn(sent);
  const inventory = holding(assetId);
  const { round, stopping, time } = delivering(sendOffer, { inventory });
  const tryAgain = async (meanwhile: () => unknown) => {
    inventory.mockImplementationOnce(async () => {
      await meanwhile();
      return { ok: true, value: [{ assetId }] as InventoryItem[] };
    });
    time.nowMs = (await transferOf(db, transferId)).runAtMs;
    await round();
  };
  await tryAgain(() => stopping.abort());
  expect(await transferOf(db, transferId)).toMatchObject({ state: 'queued', attempts: 1 });
  await round();
  expect((await transferOf(db, transferId)).attempts).toBe(1);
  const next = delivering(sendOffer, { inventory });
  next.time.nowMs = (await transferOf(db, transferId)).runAtMs;
  inventory.mockImplementationOnce(async () => {
    await markLostSendingsUncertain(db, { botId, livingHolder: 'another' }, START_MS, Date.now());
    return { ok: true, value: [{ assetId }] as InventoryItem[] };
  });
  await next.round();
  expect(await transferOf(db, transferId)).toMatchObject({ state: 'uncertain', attempts: 2 });
  expect(sendOffer).not.toHaveBeenCalled();
});

test.each([
  ['ready', (assetId: string) => ({ ok: true as const, value: [{ assetId }] as InventoryItem[] })],
  ['refused', () => ({ ok: true as const, value: [] })],
])(
  'Of an offer that another process sends by now, one that was %s here reports nothing',
  async (_, found) => {
    const { transferId, assetId } = await queueReturn();
    const sendOffer = vi.fn(sent);
    const inventory = vi.fn<SteamAccount['inventory']>(async () => {
      await markLostSendingsUncertain(db, { botId, livingHolder: 'another' }, START_MS, Date.now());
      await reportTransfer(db, transferId, { event: 'provenAbsent', runAtMs: START_MS }, START_MS);
      await leaseTransfers(db, { botId, holder: 'another' }, START_MS, Date.now());
      return found(assetId);
    });
    const { round, reconcileSoon } = delivering(sendOffer, { inventory });
    await round();
    const transfer = await transferOf(db, transferId);
    expect(transfer).toMatchObject({ state: 'sending', leaseHolder: 'another', attempts: 2 });
    expect(sendOffer).not.toHaveBeenCalled();
    expect(reconcileSoon).not.toHaveBeenCalled();
  },
);

for (const hours of [3, -3])
  test(`A clock stepped by ${hours} hours while an offer is prepared defers nothing`, async () => {
    const { transferId, assetId } = await queueReturn();
    const inventory = holding(assetId).mockImplementationOnce(async () => {
      stepHostClock(hours * hour);
      await resolveUncertain(work)();
      return { ok: true, value: [{ assetId }] as InventoryItem[] };
    });
    const { round, work } = delivering(sent, { inventory });
    await round();
    expect(await transferOf(db, transferId)).toMatchObject({ state: 'sent', attempts: 1 });
  });

test('While Steam does not answer sending pauses for seconds, and the operator hears of no refusal', async () => {
  const transferId = await queueDeposit();
  const sendOffer = vi.fn(async () => ({ ...failure('answerLost', 'unknown'), isUnanswered: true as const }));
  const { round, work } = delivering(sendOffer);
  await round();
  expect((await transferOf(db, transferId)).state).toBe('uncertain');
  await queueDeposit();
  expect(await round()).toBe(work.pace.unanswered.firstMs);
  expect(sendOffer).toHaveBeenCalledTimes(1);
  passTime(work.pace.unanswered.firstMs);
  await round();
  expect(sendOffer).toHaveBeenCalledTimes(2);
  expect(await round()).toBe(2 * work.pace.unanswered.firstMs);
  const [bot] = await db.read.select().from(bots);
  expect(bot).toMatchObject({ refusals: 0, refusedWith: null, sendPauseMs: 0 });
});

test('A round sends twenty-five offers; the rest follow in the next one', async () => {
  await deposit(
    db,
    streamer,
    Array.from({ length: 26 }, () => asset()),
    START_MS - 8 * day,
  );
  const items = await itemsOf(db, streamer.userId);
  for (const { id } of items) {
    const request = { requestId: newId(START_MS), userId: streamer.userId, itemIds: [id] };
    await returnItems(db, request, START_MS);
  }
  const refused = failure('partnerCannotTrade', 'never');
  const sendOffer = vi.fn<SteamAccount['sendOffer']>(async () => refused);
  const { round } = delivering(sendOffer, { inventory: holding(...items.map(({ assetId }) => assetId)) });
  expect(await round()).toBe(0);
  expect(sendOffer).toHaveBeenCalledTimes(25);
  expect(await round()).toBeNull();
  expect(sendOffer).toHaveBeenCalledTimes(26);
});

test('A transfer whose time comes while a round looks for it is not forgotten', async () => {
  await queueDeposit();
  await db.transaction(async (tx) => {
    await tx.update(transfers).set({ runAtMs: START_MS + 1 });
  });
  const { round, time } = delivering(sent);
  let asked = 0;
  Object.defineProperty(time, 'nowMs', { get: () => START_MS + asked++ });
  expect(await round()).toBe(1);
});

test('While the operator has stopped sending nothing is due', async () => {
  await queueDeposit();
  await db.transaction(async (tx) => {
    await tx.update(transfers).set({ runAtMs: START_MS + minute });
  });
  const { round } = delivering(sent);
  const operator = { operatorId: 'test' };
  const moment = { nowMs: START_MS, systemMs: Date.now() };
  expect(await round()).toBe(minute);
  await stopSending(db, operator, moment);
  expect(await round()).toBeNull();
  await resumeSending(db, operator, moment);
  expect(await round()).toBe(minute);
});

test('An offer of an item that differs from the ledger is not due until the operator has resolved that', async () => {
  const { transferId, assetId } = await queueReturn();
  const [item] = await itemsOf(db, streamer.userId);
  await driftOutgoing(db, [item!.id], START_MS);
  const sendOffer = vi.fn(sent);
  const { round } = delivering(sendOffer, { inventory: holding(assetId) });
  expect(await round()).toBeNull();
  expect(sendOffer).not.toHaveBeenCalled();
  await settleDrift(db, { itemId: item!.id }, START_MS);
  await round();
  expect(await transferOf(db, transferId)).toMatchObject({ state: 'sent' });
});

test('For a claim without a place an unanswered offer is taken back, and whoever cancels it is woken, once', async () => {
  const places = MAX_OPEN_OFFERS - ownPlaces.return - ownPlaces.deposit;
  const viewers = await Promise.all(Array.from({ length: places + 1 }, () => addPerson(db)));
  const { rewards } = await promiseTo(db, streamer, viewers);
  for (const { id: rewardId, userId } of rewards)
    await claimReward(db, { rewardId, userId: userId! }, START_MS);
  expect(await sendQueued(db, START_MS)).toHaveLength(places);
  const { round, time, nudge } = delivering(sent);
  time.nowMs = START_MS + hour - minute;
  expect(await round()).toBe(minute);
  expect(nudge).not.toHaveBeenCalled();
  time.nowMs += minute;
  for (let twice = 0; twice < 2; twice++) expect(await round()).toBeNull();
  expect(nudge).toHaveBeenCalledTimes(1);
  expect(await db.read.$count(transfers, eq(transfers.cancelWanted, true))).toBe(1);
});
