import { expect, test } from 'vitest';
import { alarms, mails } from '#db/schema/outbox.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';
import type { ActEvent } from '#domain/subscription/act-machine.ts';
import {
  advanceAct,
  findDueAct,
  GIVE_UP_MS,
  keyOf,
  listActsDue,
  listActsOf,
  listStuckActs,
  nextActMs,
  pruneActs,
  wantActs,
} from '#domain/subscription/billing-acts.ts';
import { dropCustomer, recordCustomer } from '#domain/subscription/stripe-customer.ts';
import { addStreamer, START_MS } from '#tests/support/fixtures.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

const invoice = { kind: 'void', subjectId: 'in_1' } as const;
const want = (acts: Parameters<typeof wantActs>[2], nowMs = START_MS, userId = streamer.userId) =>
  db.transaction((tx) => wantActs(tx, userId, acts, nowMs));
const due = async () => (await findDueAct(db.read, invoice)) ?? expect.fail();
const tryOnce = async (event: ActEvent, nowMs: number, random = 1) => {
  const act = await due();
  const tried = { event, error: 'no such luck', operatorEmail: 'operator@example.org', nowMs };
  return db.transaction((tx) => advanceAct(tx, act, { ...tried, random: () => random }));
};
const mailed = async () => (await db.read.select().from(mails)).map(({ values }) => values);

test('After an answer the key is another one, after silence the same', async () => {
  await want([invoice]);
  await tryOnce('silent', START_MS);
  expect(keyOf(await due())).toBe('void-in_1-1');
  await tryOnce('answered', START_MS);
  expect(keyOf(await due())).toBe('void-in_1-2');
  await tryOnce('early', START_MS);
  expect(await due()).toMatchObject({ attempt: 2, failures: 2, lastError: 'no such luck' });
});

test('Pauses grow from a minute to six hours, each with a random part', async () => {
  await want([invoice]);
  const pauses: number[] = [];
  for (let failed = 0; failed < 12; failed++) {
    await tryOnce('silent', START_MS);
    pauses.push(((await due()).nextAtMs - START_MS) / minute);
  }
  expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360, 360]);
  await tryOnce('silent', START_MS, 0);
  expect((await due()).nextAtMs).toBe(START_MS + 4.5 * hour);
  expect(await nextActMs(db, START_MS)).toBe(4.5 * hour);
});

test('What cannot be done yet waits for hours, and the operator hears nothing of it', async () => {
  await want([invoice]);
  await tryOnce('early', START_MS + 5 * day);
  expect(await due()).toMatchObject({ failures: 0, nextAtMs: START_MS + 5 * day + 6 * hour });
  expect(await mailed()).toEqual([]);
});

test('The operator hears once of an act that has not got through for a day; after thirty it is given up', async () => {
  await want([invoice]);
  await tryOnce('answered', START_MS + day - 1);
  expect(await mailed()).toEqual([]);
  for (const nowMs of [START_MS + day, START_MS + 3 * day, START_MS + GIVE_UP_MS - 1])
    await tryOnce('answered', nowMs);
  const untilMs = String(START_MS + GIVE_UP_MS);
  expect(await mailed()).toEqual([{ kind: 'void', subject: 'in_1', why: 'no such luck', untilMs }]);
  expect(await listStuckActs(db, START_MS + GIVE_UP_MS, 10)).toMatchObject([{ state: 'due' }]);
  await tryOnce('answered', START_MS + GIVE_UP_MS);
  expect(await findDueAct(db.read, invoice)).toBeNull();
  expect(await listStuckActs(db, START_MS + GIVE_UP_MS, 10)).toMatchObject([{ state: 'abandoned' }]);
  expect(await db.read.$count(alarms)).toBe(1);
});

test('An act that is due stays as it is when it is wanted again; one that ended is due under a new key', async () => {
  await want([invoice]);
  await tryOnce('silent', START_MS);
  await want([invoice], START_MS + hour);
  expect(await due()).toMatchObject({ attempt: 1, failures: 1, wantedAtMs: START_MS });
  await tryOnce('done', START_MS + hour);
  await want([invoice], START_MS + day);
  expect(await due()).toMatchObject({
    attempt: 2,
    failures: 0,
    wantedAtMs: START_MS + day,
    nextAtMs: START_MS + day,
    endedAtMs: null,
  });
});

test('Of two that tried the same, the second changes nothing', async () => {
  await want([invoice]);
  const act = await due();
  const tried = { event: 'answered', operatorEmail: null, nowMs: START_MS } as const;
  const advance = () => db.transaction((tx) => advanceAct(tx, act, tried));
  expect([await advance(), await advance()]).toEqual([true, false]);
  expect(await due()).toMatchObject({ attempt: 2, failures: 1 });
});

test('Acts come up when it is their turn, the longest due first; those of one user with refunds first', async () => {
  const other = await addStreamer(db);
  await want([invoice, { kind: 'cancel', subjectId: 'sub_1' }], START_MS + 2);
  await want([{ kind: 'refund', subjectId: 'pi_1', why: 'duplicate' }], START_MS + 3);
  await want([{ kind: 'expire', subjectId: 'cs_1' }], START_MS + 1, other.userId);
  const subjects = async (nowMs: number, limit = 10) =>
    (await listActsDue(db, nowMs, limit)).map(({ subjectId }) => subjectId);
  expect(await subjects(START_MS)).toEqual([]);
  expect(await subjects(START_MS + 1)).toEqual(['cs_1']);
  expect((await subjects(START_MS + 2)).sort()).toEqual(['cs_1', 'in_1', 'sub_1']);
  expect((await subjects(START_MS + 3)).at(-1)).toBe('pi_1');
  expect(await subjects(START_MS + 3, 1)).toEqual(['cs_1']);
  const own = await listActsOf(db.read, streamer.userId);
  expect(own.map(({ kind, why }) => [kind, why])).toEqual([
    ['refund', 'duplicate'],
    ['cancel', null],
    ['void', null],
  ]);
});

test('Without its customer nothing of a user is due', async () => {
  const { userId } = streamer;
  const customerId = await recordCustomer(db, { userId, customerId: 'cus_1' }, START_MS);
  await want([invoice]);
  await dropCustomer(db, { userId, customerId }, START_MS + 1);
  expect(await listActsOf(db.read, userId)).toEqual([]);
});

test('Acts are deleted thirty days after they ended, due ones never', async () => {
  await want([invoice, { kind: 'refund', subjectId: 'pi_1', why: 'accountDeleted' }]);
  await tryOnce('done', START_MS + hour);
  await pruneActs(db, START_MS + hour + 30 * day);
  await want([invoice], START_MS + 40 * day);
  expect(await due()).toMatchObject({ attempt: 2 });
  await tryOnce('done', START_MS + 40 * day);
  await pruneActs(db, START_MS + 70 * day + 1);
  await want([invoice], START_MS + 70 * day + 1);
  expect(await due()).toMatchObject({ attempt: 1 });
  expect(await listActsOf(db.read, streamer.userId)).toHaveLength(2);
});
