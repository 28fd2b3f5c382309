import { expect, test } from 'vitest';
import { listWork } from '#domain/bot/list-work.ts';
import { type LeaseName, takeLeases } from '#domain/bot/take-leases.ts';
import { slotNames, takeSlots } from '#domain/bot/take-slots.ts';
import { minute, second } from '#domain/kernel/time.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { endLeases, holderNamed } from '#tests/support/leases.ts';

const slots = (...numbers: number[]): LeaseName[] => numbers.map((number): LeaseName => `twitch:${number}`);

test('Each process’s leases of a kind are one line, with the processes that would take over', async () => {
  await using db = await openTestDatabase();
  await takeLeases(db, holderNamed('two'), slots(2));
  await endLeases(db, slots(2));
  await takeLeases(db, holderNamed('one'), ['steam', 'chat:77', 'chat:8', ...slots(0, 1, 2, 10, 11, 20)]);
  await takeLeases(db, holderNamed('two'), ['mails', ...slots(3, 4)]);
  await takeLeases(db, holderNamed('two'), ['housekeeping']);
  await endLeases(db, ['housekeeping']);
  const listed = await listWork(db.read);
  expect(
    listed.map(({ kind, places, holder, address, lowestEpoch, highestEpoch, heirs }) =>
      [kind, places, holder, address, `${lowestEpoch}-${highestEpoch}`, ...heirs].join(' | '),
    ),
  ).toEqual([
    'steam |  | one | http://one:3001 | 1-1 | http://two:3001',
    'twitch |  | one | http://one:3001 | 1-1 | http://two:3001',
    'slots | 1–2, 10–11, 20 | one | http://one:3001 | 1-2 | http://two:3001',
    'slots | 3–4 | two | http://two:3001 | 1-1 | http://one:3001',
    'chat | 77, 8 | one | http://one:3001 | 1-1 | http://two:3001',
    'mails |  | two | http://two:3001 | 1-1 | http://one:3001',
    'housekeeping |  |  |  | 1-1 | http://one:3001 | http://two:3001',
  ]);
  expect(listed.map(({ leases }) => leases)).toEqual([1, 1, 5, 2, 2, 1, 1]);
  expect(listed.at(-1)).toMatchObject({ holder: null, sinceMs: 0, leftMs: 0, version: '' });
  expect(listed[0]?.leftMs).toBeGreaterThan(5 * second);
  expect(Math.abs(Date.now() - Number(listed[0]?.sinceMs))).toBeLessThan(minute);
});

test('A process that shares the slots without having one yet may take over', async () => {
  await using db = await openTestDatabase();
  await takeLeases(db, holderNamed('one'), ['steam', ...slotNames]);
  await takeSlots(db, holderNamed('two'));
  const [steam] = await listWork(db.read);
  expect(steam).toMatchObject({ kind: 'steam', heirs: ['http://two:3001'] });
});

test('A database that no bot has used has no work', async () => {
  await using db = await openTestDatabase();
  expect(await listWork(db.read)).toEqual([]);
});
