import { asc, eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { events } from '#db/schema/outbox.ts';
import { transferSteps } from '#db/schema/transfer.ts';
import { newId } from '#domain/kernel/id.ts';
import { claimFailureOf } from '#domain/transfer/claim-failure.ts';
import { leaseTransfers } from '#domain/transfer/lease-transfers.ts';
import { reportAbsence } from '#domain/transfer/report-absence.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { transferTransaction } from '#domain/transfer/transfer-lock.ts';
import { withdrawTransfer } from '#domain/transfer/withdraw-transfer.ts';
import { asset, nextNumber, START_MS } from '#tests/support/fixtures.ts';
import { transferOf } from '#tests/support/looking.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

/** A deposit whose sending has begun, and its timeline from then on. */
async function sending() {
  const requestId = newId(START_MS);
  const asked = { requestId, userId: streamer.userId, assets: [asset()] };
  await requestDeposit(db, asked, START_MS, Date.now());
  await leaseTransfers(db, { botId, holder: 'test' }, START_MS, Date.now());
  const report = (change: Parameters<typeof reportTransfer>[2]) =>
    reportTransfer(db, requestId, change, START_MS);
  const send = () => report({ event: 'sent', offerId: String(nextNumber()) });
  const withdraw = (reason?: string) =>
    transferTransaction(db, requestId, (tx) =>
      withdrawTransfer(tx, requestId, reason ? { reason } : {}, START_MS),
    );
  const timeline = async () => {
    const steps = await db.read
      .select()
      .from(transferSteps)
      .where(eq(transferSteps.transferId, requestId))
      .orderBy(asc(transferSteps.id));
    return steps.slice(2).map(({ event, detail }) => [event, detail]);
  };
  return { requestId, report, send, withdraw, timeline };
}

test('A timeline says why an offer was taken back', async () => {
  const { send, withdraw, report, timeline } = await sending();
  await send();
  expect(await withdraw('redemptionUnmet')).toBe('asked');
  expect(await withdraw()).toBe('asked');
  await report({ event: 'cancelled' });
  expect(await timeline()).toEqual([
    ['sent', null],
    ['cancelled', 'redemptionUnmet'],
  ]);
});

test('A timeline says so as well when the offer had never reached Steam', async () => {
  const { requestId, withdraw, report, timeline } = await sending();
  await report({ event: 'answerLost', error: 'answerLost' });
  await withdraw('redemptionUnmet');
  for (const _poll of [1, 2]) await reportAbsence(db, requestId, START_MS);
  await report({ event: 'withdrawn' });
  expect((await timeline()).at(-1)).toEqual(['withdrawn', 'redemptionUnmet']);
});

test('A partner who declined is not said to have been withdrawn from', async () => {
  const { requestId, send, withdraw, report, timeline } = await sending();
  await send();
  await withdraw('redemptionUnmet');
  await report({ event: 'declined' });
  expect((await timeline()).at(-1)).toEqual(['declined', null]);
  expect(await transferOf(db, requestId)).toMatchObject({ acceptedAtMs: null, settlesAtMs: null });
});

test('An earlier trouble is not given as the reason for a cancellation by time', async () => {
  const { send, report, timeline } = await sending();
  await report({ event: 'deferred', error: 'steamBusy', runAtMs: START_MS });
  await leaseTransfers(db, { botId, holder: 'test' }, START_MS, Date.now());
  await send();
  await report({ event: 'cancelled' });
  expect(await timeline()).toEqual([
    ['deferred', 'steamBusy'],
    ['started', null],
    ['sent', null],
    ['cancelled', null],
  ]);
});

test('Whoever has the transfer open sees each step at once', async () => {
  const { requestId, send } = await sending();
  const changes = () => db.read.select().from(events).where(eq(events.subjectId, requestId));
  const before = (await changes()).length;
  await send();
  expect((await changes()).slice(before)).toMatchObject([
    { userId: streamer.userId, kind: 'transfer.changed', subjectId: requestId },
  ]);
});

test('A claim that Twitch kept waiting too long is told from one that nobody accepted', () => {
  const ended = { state: 'cancelled', cancelWanted: false, sentAtMs: null, lastError: null } as const;
  expect(claimFailureOf({ ...ended, lastError: 'twitchSilent' })).toEqual({ kind: 'unanswered' });
  expect(claimFailureOf({ ...ended, sentAtMs: START_MS })).toEqual({ kind: 'notAccepted' });
  expect(claimFailureOf(ended)).toEqual({ kind: 'withdrawn' });
  expect(claimFailureOf({ ...ended, lastError: 'redemptionUnmet' })).toBeNull();
  for (const state of ['sent', 'accepted', 'settled', 'reversed'] as const)
    expect(claimFailureOf({ ...ended, state, sentAtMs: START_MS }), state).toBeNull();
});
