import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { mails } from '#db/schema/outbox.ts';
import { transferSteps, transfers } from '#db/schema/transfer.ts';
import { alarmOfTransfers } from '#domain/custody/alarm-of-transfers.ts';
import { MAX_LISTED } from '#domain/custody/list-concerns.ts';
import { newId } from '#domain/kernel/id.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';
import { leaseTransfers } from '#domain/transfer/lease-transfers.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { requestDeposit } from '#domain/transfer/request-deposit.ts';
import { asset, START_MS } from '#tests/support/fixtures.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';

const operatorEmail = 'operator@example.org';

setScene();

const look = (nowMs: number, recipient: string | null = operatorEmail) =>
  alarmOfTransfers(db, { operatorEmail: recipient }, nowMs);
const letters = async () => {
  const written = await db.read.select().from(mails).where(eq(mails.template, 'transfersUnclear'));
  return written.map(({ recipient, values }) => ({ recipient, ...values }));
};

/** A deposit whose sending got no answer. */
async function lose() {
  const requestId = newId(START_MS);
  const wanted = { requestId, userId: streamer.userId, assets: [asset()] };
  expect(await requestDeposit(db, wanted, START_MS, Date.now())).toMatchObject({ ok: true });
  await leaseTransfers(db, { botId, holder: 'test' }, START_MS, Date.now());
  await reportTransfer(db, requestId, { event: 'answerLost' }, START_MS);
  return requestId;
}

test('The operator gets a mail within an hour about a transfer that stays unclear, and then one a day', async () => {
  const id = await lose();
  await look(START_MS + 49 * minute);
  await look(START_MS + 51 * minute, null);
  expect(await letters()).toEqual([]);
  expect(await look(START_MS + 55 * minute)).toBe(1);
  const letter = { recipient: operatorEmail, bot: botId, trouble: 'sendingUnknown', amount: '1', ids: id };
  expect(await letters()).toEqual([letter]);
  expect(await look(START_MS + 2 * hour)).toBe(0);
  expect(await look(START_MS + day + hour)).toBe(1);
});

test('A mail counts all transfers with the same trouble', async () => {
  const ids = [await lose(), await lose()];
  expect(await look(START_MS + hour)).toBe(1);
  expect(await letters()).toMatchObject([{ amount: '2', ids: ids.toSorted().join(', ') }]);
});

test('A mail about more transfers than are listed says that there may be more', async () => {
  const id = await lose();
  await db.transaction(async (tx) => {
    const [transfer] = await tx.select().from(transfers).where(eq(transfers.id, id));
    const steps = await tx.select().from(transferSteps).where(eq(transferSteps.transferId, id));
    if (!transfer) throw new Error('no transfer');
    for (let n = 1; n <= MAX_LISTED; n += 1) {
      const copy = { id: newId(START_MS), securityCode: `COPY${n}` };
      await tx.insert(transfers).values({ ...transfer, ...copy });
      for (const step of steps)
        await tx.insert(transferSteps).values({ ...step, id: newId(START_MS), transferId: copy.id });
    }
  });
  expect(await look(START_MS + hour)).toBe(1);
  expect(await letters()).toMatchObject([{ amount: `${MAX_LISTED}+` }]);
});
