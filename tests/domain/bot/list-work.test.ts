import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { newestKnownStep } from '#db/migrate.ts';
import { processes } from '#db/schema/process.ts';
import { listWork } from '#domain/bot/list-work.ts';
import { type LeaseName, takeLeases } from '#domain/bot/take-leases.ts';
import { slotNames, takeSlots } from '#domain/bot/take-slots.ts';
import { minute, second } from '#domain/kernel/time.ts';
import { announceProcess, withdrawProcess } from '#domain/process/announce-process.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { announceBotNamed, endLeases, holderNamed } from '#tests/support/leases.ts';

const slots = (...numbers: number[]): LeaseName[] => numbers.map((number): LeaseName => `twitch:${number}`);

test('Each process’s leases of a kind are one line, with the processes that would take over', async () => {
  await using db = await openTestDatabase();
  for (const name of ['one', 'two']) await announceBotNamed(db, name);
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

test('Only a process that runs and has the role of a part takes it over', async () => {
  await using db = await openTestDatabase();
  await takeLeases(db, holderNamed('one'), ['steam', 'twitch:0', 'chat:77', 'mails', ...slotNames]);
  await announceBotNamed(db, 'one');
  await announceBotNamed(db, 'steam', 'steam');
  await announceBotNamed(db, 'rest', 'twitch,housekeeping');
  await announceBotNamed(db, 'ended');
  await withdrawProcess(db, 'ended');
  await announceBotNamed(db, 'before', '');
  const web = { role: 'web', version: '1.2.3', schema: newestKnownStep() } as const;
  await announceProcess(db, { id: 'web', ...web });
  await takeSlots(db, holderNamed('before'));
  const heirs = async () => (await listWork(db.read)).map((work) => [work.kind, ...work.heirs]);
  const rest = 'http://rest:3001';
  const listed = [
    ['steam', 'http://steam:3001'],
    ['twitch', rest],
    ['slots', rest],
    ['chat', rest],
    ['mails', rest],
  ];
  expect(await heirs()).toEqual(listed);
  await db.transaction((tx) =>
    tx.update(processes).set({ untilMs: 1 }).where(eq(processes.id, 'rest')).returning(),
  );
  expect(await heirs()).toEqual(
    listed.map(([kind, ...named]) => (kind === 'steam' ? [kind, ...named] : [kind])),
  );
});

test('The process whose chat account it is does not take that over from itself', async () => {
  await using db = await openTestDatabase();
  // The account's lease has a holder of its own at the same address.
  await takeLeases(db, { ...holderNamed('account'), address: holderNamed('one').address }, ['chat:77']);
  await announceBotNamed(db, 'one');
  expect(await listWork(db.read)).toMatchObject([{ kind: 'chat', holder: 'account', heirs: [] }]);
});

test('A process takes over from another one that has the same address', async () => {
  await using db = await openTestDatabase();
  const { address } = holderNamed('two');
  await takeLeases(db, { ...holderNamed('one'), address }, ['steam']);
  await announceBotNamed(db, 'two');
  expect(await listWork(db.read)).toMatchObject([{ kind: 'steam', holder: 'one', heirs: [address] }]);
});

test('A database that no bot has used has no work', async () => {
  await using db = await openTestDatabase();
  expect(await listWork(db.read)).toEqual([]);
});
