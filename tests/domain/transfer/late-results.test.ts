import { expect, test } from 'vitest';
import { newId } from '#domain/kernel/id.ts';
import { hour, minute } from '#domain/kernel/time.ts';
import type { TransferChange } from '#domain/transfer/advance-transfer.ts';
import { leaseTransfers } from '#domain/transfer/lease-transfers.ts';
import { markLostSendingsUncertain } from '#domain/transfer/mark-lost-sendings-uncertain.ts';
import { reportAbsence } from '#domain/transfer/report-absence.ts';
import { reportSending } from '#domain/transfer/report-sending.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { asset, START_MS } from '#tests/support/fixtures.ts';
import { transferOf } from '#tests/support/looking.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

const SYSTEM_MS = Date.now();
const lease = (holder: string, nowMs = START_MS) =>
  leaseTransfers(db, { botId, holder, limit: 1 }, nowMs, SYSTEM_MS);

test('The result of an attempt counts only while that attempt has its lease', async () => {
  const id = newId(START_MS);
  const request = { requestId: id, userId: streamer.userId, assets: [asset()] };
  await requestDeposit(db, request, START_MS, SYSTEM_MS);
  await lease('one');
  const stale = { transferId: id, attempts: 1, holder: 'one' };
  const report = (of: typeof stale, change: TransferChange) => reportSending(db, of, change, START_MS);
  await markLostSendingsUncertain(db, { botId, livingHolder: 'two' }, START_MS, SYSTEM_MS);
  expect(await report(stale, { event: 'sent', offerId: 'late' })).toBe(false);
  for (const minutes of [0, 2]) await reportAbsence(db, id, START_MS + minutes * minute);
  await lease('two', START_MS + hour);
  const before = await transferOf(db, id);
  expect(before).toMatchObject({ state: 'sending', leaseHolder: 'two', attempts: 2, offerId: null });

  for (const of of [stale, { ...stale, holder: 'two' }, { ...stale, attempts: 2 }])
    for (const change of [
      { event: 'sent', offerId: 'late' },
      { event: 'refused', error: 'itemUnavailable' },
      { event: 'deferred', error: 'steamBusy', runAtMs: START_MS },
      { event: 'answerLost', error: 'answerLost' },
    ] as const)
      expect(await report(of, change)).toBe(false);
  expect(await transferOf(db, id)).toEqual(before);

  const current = { transferId: id, attempts: 2, holder: 'two' };
  expect(await report(current, { event: 'sent', offerId: 'second' })).toBe(true);
  expect(await report(current, { event: 'sent', offerId: 'third' })).toBe(false);
  expect(await transferOf(db, id)).toMatchObject({ state: 'sent', offerId: 'second', leaseHolder: null });
});
