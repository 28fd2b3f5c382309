import { expect, test } from 'vitest';
import { listConcerns } from '#domain/custody/list-concerns.ts';
import { newId } from '#domain/kernel/id.ts';
import { hour, minute } from '#domain/kernel/time.ts';
import { leaseTransfers } from '#domain/transfer/lease-transfers.ts';
import { recordUnclear } from '#domain/transfer/record-unclear.ts';
import { reportAbsence } from '#domain/transfer/report-absence.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { asset, START_MS, sendQueued } from '#tests/support/fixtures.ts';
import { transferOf } from '#tests/support/looking.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

const at = (minutes: number) => START_MS + minutes * minute;

async function request() {
  const requestId = newId(START_MS);
  const wanted = { requestId, userId: streamer.userId, assets: [asset()] };
  expect(await requestDeposit(db, wanted, START_MS, Date.now())).toMatchObject({ ok: true });
  return requestId;
}

const concernsAt = async (nowMs: number) =>
  ((await listConcerns(db.read, nowMs)).get(botId)?.transfers ?? []).map(
    ({ transferId, concern, sinceMs }) => ({ transferId, concern, sinceMs }),
  );
const record = async (id: string, unclear: Parameters<typeof recordUnclear>[1]['unclear'], nowMs: number) =>
  recordUnclear(db, { transfer: await transferOf(db, id), unclear }, nowMs);

test('What stays unclear of a sent offer is listed within an hour of the first look, and until it is clear', async () => {
  const clear = await request();
  const id = await request();
  await sendQueued(db, START_MS);
  await record(clear, 'offerUnknown', at(1));
  await record(id, 'offerUnknown', at(1));
  await record(clear, null, at(2));
  await record(id, 'acceptedUnclear', at(20));
  expect(await concernsAt(at(51) - 1)).toEqual([]);
  expect(await concernsAt(at(51))).toEqual([{ transferId: id, concern: 'acceptedUnclear', sinceMs: at(1) }]);
  await reportTransfer(db, id, { event: 'cancelled' }, at(52));
  expect(await concernsAt(at(53))).toEqual([]);
  expect(await transferOf(db, id)).toMatchObject({ unclear: null, unclearSinceMs: null });
});

test('A look that another step overtook records nothing', async () => {
  const id = await request();
  await sendQueued(db, START_MS);
  const seen = await transferOf(db, id);
  await reportTransfer(db, id, { event: 'cancelled' }, at(1));
  await recordUnclear(db, { transfer: seen, unclear: 'offerUnknown' }, at(2));
  expect(await transferOf(db, id)).toMatchObject({ unclear: null, unclearSinceMs: null });
});

test('What was recorded while the clock was ahead counts from the next look', async () => {
  const id = await request();
  await sendQueued(db, START_MS);
  await record(id, 'offerUnknown', START_MS + 5 * hour);
  await record(id, 'offerUnknown', at(3));
  expect((await concernsAt(at(53))).map(({ sinceMs }) => sinceMs)).toEqual([at(3)]);
});

test('Sendings of one transfer whose answers are lost again and again count from the first', async () => {
  const id = await request();
  const lose = async (nowMs: number) => {
    await leaseTransfers(db, { botId, holder: 'test' }, nowMs, Date.now());
    await reportTransfer(db, id, { event: 'answerLost' }, nowMs);
  };
  const proveAbsent = async (nowMs: number) => {
    while ((await transferOf(db, id)).state === 'uncertain') await reportAbsence(db, id, nowMs);
  };
  await lose(at(1));
  await proveAbsent(at(10));
  await lose(at(45));
  expect(await concernsAt(at(51) - 1)).toEqual([]);
  expect(await concernsAt(at(51))).toEqual([{ transferId: id, concern: 'sendingUnknown', sinceMs: at(1) }]);
  await proveAbsent(at(52));
  await sendQueued(db, at(53));
  expect(await concernsAt(at(54))).toEqual([]);
});

test('An offer whose confirmation never appears counts from its first sending, however often it is sent again', async () => {
  const id = await request();
  const create = async (offerId: string, nowMs: number) => {
    await leaseTransfers(db, { botId, holder: 'test' }, nowMs, Date.now());
    await reportTransfer(db, id, { event: 'created', offerId }, nowMs);
  };
  for (const [n, offerId] of ['o1', 'o2', 'o3'].entries()) {
    await create(offerId, at(10 * n));
    const unseen = { event: 'unseen', error: 'notConfirmed', runAtMs: at(10 * n + 5) } as const;
    if (offerId !== 'o3') await reportTransfer(db, id, unseen, at(10 * n + 5));
  }
  expect(await concernsAt(at(50) - 1)).toEqual([]);
  expect(await concernsAt(at(50))).toEqual([{ transferId: id, concern: 'unconfirmed', sinceMs: at(0) }]);
  await reportTransfer(db, id, { event: 'confirmed' }, at(56));
  expect(await concernsAt(at(57))).toEqual([]);
});
