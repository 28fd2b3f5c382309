import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { type TransferKind, transfers } from '#db/schema/transfer.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';
import { cancelTransfer } from '#domain/transfer/cancel-transfer.ts';
import { leaseTransfers, SENDING_LEASE_MS } from '#domain/transfer/lease-transfers.ts';
import { listBotTransfers } from '#domain/transfer/list-bot-transfers.ts';
import { markLostSendingsUncertain } from '#domain/transfer/mark-lost-sendings-uncertain.ts';
import { nextSendingEndMs } from '#domain/transfer/next-transfer-due.ts';
import { MAX_OPEN_OFFERS_PER_PARTNER } from '#domain/transfer/offer-limits.ts';
import { queueTransfer } from '#domain/transfer/queue-transfer.ts';
import { renewSending } from '#domain/transfer/renew-sending.ts';
import { reportAbsence } from '#domain/transfer/report-absence.ts';
import { reportOffer } from '#domain/transfer/report-offer.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { addBot, addPerson, asset, START_MS } from '#tests/support/fixtures.ts';
import { assetsIn, stepsOf, transferOf } from '#tests/support/looking.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

const SYSTEM_MS = Date.now();
/** Queues this many deposits of one asset each. */
async function queue(amount: number, by = streamer, nowMs = START_MS): Promise<string[]> {
  const ids = Array.from({ length: amount }, () => newId(nowMs));
  for (const requestId of ids) {
    const request = { requestId, userId: by.userId, assets: [asset()] };
    const requested = await requestDeposit(db, request, nowMs, Date.now());
    if (!requested.ok) throw new Error(requested.code);
  }
  return ids;
}
/** Queues several offers of a kind to one partner. */
async function queueTo(
  partner: Pick<typeof streamer, 'userId' | 'steamId'>,
  amount: number,
  { kind = 'claim' as TransferKind, nowMs = START_MS } = {},
): Promise<string[]> {
  const ids = Array.from({ length: amount }, () => newId(nowMs));
  await db.transaction(async (tx) => {
    for (const id of ids)
      await queueTransfer(
        tx,
        {
          id,
          kind,
          userId: partner.userId,
          botId,
          partner: { steamId: partner.steamId, tradeToken: 'tokenABC' },
          assets: [asset()],
        },
        nowMs,
      );
  });
  return ids;
}
const kindsOf = (leased: readonly { kind: string }[]) =>
  Object.fromEntries(
    ['claim', 'return', 'deposit'].map((kind) => [kind, leased.filter((each) => each.kind === kind).length]),
  );
const lease = (limit = 100, { holder = 'one', nowMs = START_MS, systemMs = SYSTEM_MS } = {}) =>
  leaseTransfers(db, { botId, holder, limit }, nowMs, systemMs);
const stateOf = async (id: string) => (await transferOf(db, id)).state;
const advance = (id: string, event: Parameters<typeof reportTransfer>[2]['event'], nowMs = START_MS) =>
  reportTransfer(db, id, { event }, nowMs);
/** One transfer that is being sent. */
async function sending(): Promise<string> {
  const [id] = await queue(1);
  await lease();
  return id!;
}

test('A transfer leased by one process is sent by no other', async () => {
  const [id] = await queue(1);
  const [leased] = await lease();
  const [row] = await assetsIn(db, id!);
  expect(leased).toMatchObject({
    id,
    kind: 'deposit',
    partnerSteamId: streamer.steamId,
    tradeToken: 'tokenABC',
    attempts: 1,
    assets: [{ appId: 730, contextId: '2', assetId: row?.assetId }],
  });
  expect(await lease(100, { holder: 'two' })).toEqual([]);
  expect(await transferOf(db, id!)).toMatchObject({
    state: 'sending',
    leaseHolder: 'one',
    leaseUntilMs: SYSTEM_MS + SENDING_LEASE_MS,
  });
});

test('Another bot’s transfers, and those not due yet, are left alone', async () => {
  const [id] = await queue(1);
  const other = await addBot(db);
  expect(await leaseTransfers(db, { botId: other, holder: 'one' }, START_MS, SYSTEM_MS)).toEqual([]);
  await lease();
  await reportTransfer(
    db,
    id!,
    { event: 'deferred', error: 'steamBusy', runAtMs: START_MS + minute },
    START_MS,
  );
  expect(await transferOf(db, id!)).toMatchObject({
    state: 'queued',
    leaseHolder: null,
    leaseUntilMs: 0,
    lastError: 'steamBusy',
  });
  expect(await lease(100, { nowMs: START_MS + minute - 1 })).toEqual([]);
  expect((await lease(100, { nowMs: START_MS + minute })).map(({ attempts }) => attempts)).toEqual([2]);
});

test('A bot lists only its own transfers in the given states, oldest first, each with its assets', async () => {
  const find = (states: Parameters<typeof listBotTransfers>[1]['states'], of = botId) =>
    listBotTransfers(db.read, { botId: of, states });
  expect(await find(['queued'])).toEqual([]);
  const ids = await queue(2);
  const found = await find(['queued', 'sending']);
  expect(found.map(({ id }) => id)).toEqual(ids);
  for (const { id, assets } of found) {
    const [queued] = await assetsIn(db, id);
    const { appId, contextId, assetId, classId } = queued ?? {};
    expect(assets).toMatchObject([{ appId, contextId, assetId, classId, newAssetId: null }]);
  }
  expect(await find(['queued'], await addBot(db))).toEqual([]);
  await cancelTransfer(db, { transferId: ids[0]!, userId: streamer.userId }, START_MS);
  expect((await find(['queued'])).map(({ id }) => id)).toEqual([ids[1]]);
});

test('At most five offers are open per partner; further ones wait until one has ended', async () => {
  await queueTo(streamer, MAX_OPEN_OFFERS_PER_PARTNER + 2);
  const leased = await lease();
  expect(leased).toHaveLength(5);
  expect(await lease()).toEqual([]);
  await advance(leased[0]!.id, 'created');
  expect(await lease()).toEqual([]);
  await advance(leased[1]!.id, 'answerLost');
  expect(await lease()).toEqual([]);
  await advance(leased[2]!.id, 'refused');
  expect(await lease()).toHaveLength(1);
});

test('At most thirty offers are open per bot', async () => {
  const people = await Promise.all(Array.from({ length: 11 }, () => addPerson(db)));
  for (const person of people.slice(0, 7)) await queueTo(person, 4, { kind: 'claim' });
  for (const person of people.slice(7, 9)) await queueTo(person, 4, { kind: 'return' });
  for (const person of people.slice(9)) await queueTo(person, 2, { kind: 'deposit' });
  expect(kindsOf(await lease())).toEqual({ claim: 24, return: 3, deposit: 3 });
  expect(await lease()).toEqual([]);
});

test('Claims go first, then returns, then deposits, and each kind has places of its own', async () => {
  const people = await Promise.all(Array.from({ length: 27 }, () => addPerson(db)));
  const [first, second, third] = [people.slice(0, 12), people.slice(12, 24), people.slice(24)];
  for (const person of first) await queueTo(person, 2, { kind: 'deposit' });
  for (const person of second) await queueTo(person, 2, { kind: 'return' });
  for (const person of third) await queueTo(person, 5, { kind: 'claim' });
  expect(kindsOf(await lease(15))).toEqual({ claim: 15, return: 0, deposit: 0 });
  expect(kindsOf(await lease(20))).toEqual({ claim: 0, return: 12, deposit: 3 });
  expect(await lease()).toEqual([]);
});

test('Deposits and returns leave ten places to claims', async () => {
  const people = await Promise.all(Array.from({ length: 14 }, () => addPerson(db)));
  for (const person of people) await queueTo(person, 2, { kind: 'deposit' });
  expect(kindsOf(await lease())).toEqual({ claim: 0, return: 0, deposit: 17 });
  for (const person of people.slice(0, 2)) await queueTo(person, 2, { kind: 'return' });
  expect(kindsOf(await lease())).toEqual({ claim: 0, return: 3, deposit: 0 });
  for (const person of people.slice(2, 8)) await queueTo(person, 2, { kind: 'claim' });
  expect(kindsOf(await lease())).toEqual({ claim: 10, return: 0, deposit: 0 });
});

test('An account has two deposits on Steam at once, and four after one was accepted', async () => {
  await queueTo(streamer, 6, { kind: 'deposit' });
  const [one, two] = await lease();
  expect(await lease()).toEqual([]);
  await advance(one!.id, 'refused');
  await reportTransfer(db, two!.id, { event: 'sent', offerId: '1' }, START_MS);
  const moved = two!.assets.map((each) => ({ ...each, newAssetId: '77', newContextId: '2' }));
  await reportTransfer(db, two!.id, { event: 'accepted', moved }, START_MS);
  expect(await lease()).toHaveLength(4);
});

test('Somebody who queues a hundred offers does not hold up others', async () => {
  await queueTo(streamer, 105);
  await lease();
  const [id] = await queueTo(await addPerson(db), 1, { nowMs: START_MS + 1 });
  const leased = await lease(100, { nowMs: START_MS + 1 });
  expect(leased.map((each) => each.id)).toEqual([id]);
});

test('A sending whose lease expired, or whose process died, is uncertain and not queued again', async () => {
  const [first] = await queue(1);
  await lease();
  const doubt = (livingHolder: string, systemMs: number) =>
    markLostSendingsUncertain(db, { botId, livingHolder }, START_MS, systemMs);
  expect(await doubt('one', SYSTEM_MS + SENDING_LEASE_MS - 1)).toEqual([]);
  expect(await doubt('one', SYSTEM_MS + SENDING_LEASE_MS)).toEqual([first]);
  expect(await stateOf(first!)).toBe('uncertain');
  const [second] = await queue(1);
  await lease();
  expect(await doubt('another', SYSTEM_MS)).toEqual([second]);
  expect(await stateOf(second!)).toBe('uncertain');
  expect(await lease(100, { nowMs: START_MS + day })).toEqual([]);
});

test('A sending whose answer was lost while the clock was ahead is uncertain once it is right again', async () => {
  const [id] = await queue(1);
  await lease(100, { systemMs: SYSTEM_MS + 9 * hour });
  expect(await nextSendingEndMs(db.read, { botId }, SYSTEM_MS)).toBe(0);
  expect(await markLostSendingsUncertain(db, { botId, livingHolder: 'one' }, START_MS, SYSTEM_MS)).toEqual([
    id,
  ]);
  expect(await stateOf(id!)).toBe('uncertain');
});

test('What a process is still sending is not doubted by it, whatever the clock says, but by the next process', async () => {
  const [id] = await queue(1);
  await lease();
  const doubt = (livingHolder: string, sendingId: string | null, systemMs: number) =>
    markLostSendingsUncertain(db, { botId, livingHolder, sendingId }, START_MS, systemMs);
  for (const systemMs of [SYSTEM_MS + 9 * hour, SYSTEM_MS - 9 * hour])
    expect(await doubt('one', id!, systemMs)).toEqual([]);
  const renew = (holder: string, systemMs: number, attempts = 1) =>
    renewSending(db, { transferId: id!, attempts, holder }, systemMs);
  expect(await renew('one', SYSTEM_MS + day)).toBe(true);
  expect(await transferOf(db, id!)).toMatchObject({ leaseUntilMs: SYSTEM_MS + day + SENDING_LEASE_MS });
  expect(await renew('two', SYSTEM_MS)).toBe(false);
  expect(await renew('one', SYSTEM_MS, 2)).toBe(false);
  expect(await doubt('two', id!, SYSTEM_MS)).toEqual([id]);
  expect(await renew('one', SYSTEM_MS)).toBe(false);
});

test('An uncertain sending that Steam lists after all is adopted, whatever its state', async () => {
  const endings = [
    ['CreatedNeedsConfirmation', 'unconfirmed', ['foundUnconfirmed']],
    ['Active', 'sent', ['foundSent']],
    ['InEscrow', 'escrowed', ['foundSent', 'escrowed']],
    ['Declined', 'declined', ['foundSent', 'declined']],
    ['Countered', 'declined', ['foundSent', 'declined']],
    ['Expired', 'expired', ['foundSent', 'expired']],
    ['Canceled', 'cancelled', ['foundSent', 'cancelled']],
    ['CanceledBySecondFactor', 'cancelled', ['foundSent', 'cancelled']],
    ['InvalidItems', 'failed', ['foundSent', 'invalidated']],
  ] as const;
  for (const [steamState, state, events] of endings) {
    const [id] = await queue(1, await addPerson(db));
    await lease();
    await advance(id!, 'answerLost');
    const report = { offerId: `offer-${steamState}`, steamState };
    expect(await reportOffer(db, id!, report, START_MS)).toBe(true);
    expect(await transferOf(db, id!)).toMatchObject({ state, offerId: report.offerId });
    expect((await stepsOf(db, id!)).slice(3)).toEqual(events);
    expect(await reportOffer(db, id!, report, START_MS)).toBe(false);
  }
});

test('A confirmation that was not reported is made up for', async () => {
  const id = await sending();
  await advance(id, 'created');
  await reportOffer(db, id, { offerId: 'o1', steamState: 'Expired' }, START_MS);
  expect((await stepsOf(db, id)).slice(2)).toEqual(['created', 'confirmed', 'expired']);
});

test('Two clean polls prove an uncertain offer absent; only then is it sent again, with the same assets', async () => {
  const id = await sending();
  const before = await assetsIn(db, id);
  await advance(id, 'answerLost');
  expect(await reportAbsence(db, id, START_MS)).toBe(false);
  expect(await stateOf(id)).toBe('uncertain');
  expect(await reportAbsence(db, id, START_MS + minute)).toBe(true);
  expect(await stateOf(id)).toBe('queued');
  expect(await assetsIn(db, id)).toEqual(before);
  const [again] = await lease(100, { nowMs: START_MS + minute });
  expect(again).toMatchObject({
    id,
    attempts: 2,
    securityCode: (await transferOf(db, id)).securityCode,
  });
  // A new uncertainty counts its polls from the beginning.
  await advance(id, 'answerLost');
  expect(await reportAbsence(db, id, START_MS + 2 * minute)).toBe(false);
  expect(await stateOf(id)).toBe('uncertain');
});

test('Reporting absence changes nothing for a transfer that is not uncertain', async () => {
  const id = await sending();
  expect(await reportAbsence(db, id, START_MS)).toBe(false);
  expect(await reportAbsence(db, id, START_MS)).toBe(false);
  expect(await transferOf(db, id)).toMatchObject({ state: 'sending', cleanPolls: 0 });
});

test('Repeated or late reports change nothing', async () => {
  const id = await sending();
  expect(await advance(id, 'sent')).toBe(true);
  const before = await transferOf(db, id);
  for (const event of ['sent', 'created', 'started', 'settled', 'provenAbsent'] as const)
    expect(await advance(id, event)).toBe(false);
  expect(await reportOffer(db, id, { offerId: 'o', steamState: 'Active' }, START_MS)).toBe(false);
  expect(await transferOf(db, id)).toEqual(before);
  expect(await stepsOf(db, id)).toEqual(['requested', 'started', 'sent']);
  expect(await advance(newId(START_MS), 'sent')).toBe(false);
});

test('An offer’s times are stored: sent, expiry on Steam, and cancellation, which counts from its confirmation', async () => {
  const id = await sending();
  await advance(id, 'created', START_MS + minute);
  await advance(id, 'confirmed', START_MS + 2 * minute);
  expect(await transferOf(db, id)).toMatchObject({
    sentAtMs: START_MS + minute,
    expiresAtMs: START_MS + minute + 14 * day,
    cancelAtMs: START_MS + 2 * minute + 30 * minute,
  });
});

test('Escrow keeps the transfer open until the items move or Steam rolls the trade back', async () => {
  const id = await sending();
  await advance(id, 'sent');
  await reportOffer(db, id, { offerId: 'o1', steamState: 'InEscrow' }, START_MS);
  expect(await stateOf(id)).toBe('escrowed');
  expect(await cancelTransfer(db, { transferId: id, userId: streamer.userId }, START_MS)).toEqual({
    ok: false,
    code: 'tooLate',
  });
  expect((await assetsIn(db, id))[0]?.open).toBe(true);
  await advance(id, 'rolledBack');
  expect(await stateOf(id)).toBe('failed');
  expect((await assetsIn(db, id))[0]?.open).toBe(false);
});

test('Cancelling a queued transfer ends it at once; for one on Steam it is only requested', async () => {
  const cancel = (transferId: string, userId = streamer.userId) =>
    cancelTransfer(db, { transferId, userId }, START_MS);
  const [queued] = await queue(1);
  expect(await cancel(queued!)).toEqual({ ok: true, cancelled: true });
  expect(await stateOf(queued!)).toBe('cancelled');
  expect((await assetsIn(db, queued!))[0]?.open).toBe(false);
  expect(await cancel(queued!)).toEqual({ ok: false, code: 'tooLate' });

  const sent = await sending();
  await advance(sent, 'sent');
  const stranger = await addPerson(db);
  expect(await cancel(sent, stranger.userId)).toEqual({ ok: false, code: 'notFound' });
  expect(await cancel(newId(START_MS))).toEqual({ ok: false, code: 'notFound' });
  expect((await transferOf(db, sent)).cancelWanted).toBe(false);
  expect(await cancel(sent)).toEqual({ ok: true, cancelled: false });
  expect(await transferOf(db, sent)).toMatchObject({ state: 'sent', cancelWanted: true });
  await reportOffer(db, sent, { offerId: 'o1', steamState: 'Canceled' }, START_MS);
  expect(await stateOf(sent)).toBe('cancelled');
});

test('Cancelling one transfer asks for no other', async () => {
  const [one, other] = await queue(2);
  await lease();
  for (const id of [one!, other!]) await advance(id, 'sent');
  await cancelTransfer(db, { transferId: one!, userId: streamer.userId }, START_MS);
  expect((await transferOf(db, one!)).cancelWanted).toBe(true);
  expect((await transferOf(db, other!)).cancelWanted).toBe(false);
});

test('A transfer whose cancellation was requested during sending is not sent a second time', async () => {
  const id = await sending();
  await cancelTransfer(db, { transferId: id, userId: streamer.userId }, START_MS);
  await reportTransfer(db, id, { event: 'deferred', runAtMs: START_MS }, START_MS);
  expect(await lease()).toEqual([]);
  expect(await advance(id, 'withdrawn')).toBe(true);
  expect(await stateOf(id)).toBe('cancelled');
});

test('An offer id belongs to one transfer', async () => {
  const [one, two] = await queue(2);
  await lease();
  await reportTransfer(db, one!, { event: 'sent', offerId: 'same' }, START_MS);
  const second = reportTransfer(db, two!, { event: 'sent', offerId: 'same' }, START_MS);
  await expect(second).rejects.toThrow();
  expect(await stateOf(two!)).toBe('sending');
  expect(await db.read.$count(transfers, eq(transfers.offerId, 'same'))).toBe(1);
});
