import { eq } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/pglite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Database, postgresDatabase } from '#db/database.ts';
import { isPostgres } from '#db/dialect.ts';
import { newestKnownStep } from '#db/migrate.ts';
import { leases } from '#db/schema/lease.ts';
import { alarms } from '#db/schema/outbox.ts';
import { listLeases } from '#domain/bot/list-leases.ts';
import { releaseLeases } from '#domain/bot/release-leases.ts';
import { LeaseLost, underLease } from '#domain/bot/require-lease.ts';
import { LEASE_MS, type Lease, type LeaseName, takeLeases } from '#domain/bot/take-leases.ts';
import { takeSlots } from '#domain/bot/take-slots.ts';
import { hour, minute, second } from '#domain/kernel/time.ts';
import { announceProcess } from '#domain/process/announce-process.ts';
import { openLoneDatabase, openTestDatabase, startPglite } from '#tests/support/database.ts';
import { endLeases, holderNamed } from '#tests/support/leases.ts';
import { serverUrl } from '#tests/support/postgres-server.ts';

let db: Database;
beforeEach(async () => {
  db = await openLoneDatabase();
});
afterEach(() => db.close());

const all: readonly LeaseName[] = ['steam', 'twitch:0', 'chat:77'];
/** Takes leases and returns the epochs of those that the process has. */
const take = async (holder: string, names = all) =>
  Object.fromEntries(
    (await takeLeases(db, holderNamed(holder), names)).map(({ name, epoch }) => [name, epoch]),
  );
const leaseOf = async (holder: string, name: LeaseName): Promise<Lease> => {
  const [lease] = await takeLeases(db, holderNamed(holder), [name]);
  if (!lease) throw new Error(`${holder} has no lease ${name}`);
  return lease;
};
/** Writes under a lease; returns whether it was written. */
const write = (lease: Lease, key: string) =>
  underLease(db, lease)
    .transaction((tx) => tx.insert(alarms).values({ key, mailedAtMs: 1 }).returning())
    .then(
      () => true,
      (error) => {
        expect(error).toBeInstanceOf(LeaseLost);
        return false;
      },
    );

test('A process takes the parts that no other one has, and keeps their epochs when it renews them', async () => {
  expect(await take('one', ['steam', 'twitch:0'])).toEqual({ steam: 1, 'twitch:0': 1 });
  expect(await take('two')).toEqual({ 'chat:77': 1 });
  expect(await take('one')).toEqual({ steam: 1, 'twitch:0': 1 });
  expect(await take('one', [])).toEqual({});
});

test('What has ended goes to the first that asks, in a new epoch; the others stay', async () => {
  await take('one');
  await endLeases(db, ['steam', 'chat:77']);
  expect(await take('two')).toEqual({ steam: 2, 'chat:77': 2 });
  expect(await take('one')).toEqual({ 'twitch:0': 1 });
});

test('A holder that comes back before anyone else goes on in the same epoch', async () => {
  await take('one');
  await endLeases(db, all);
  expect(await take('one')).toEqual({ steam: 1, 'twitch:0': 1, 'chat:77': 1 });
});

test('A lease from before the clock was put back locks nobody out; one that is ahead by seconds is in force', async () => {
  await take('one');
  await endLeases(db, ['steam'], Date.now() + 9 * hour);
  await endLeases(db, ['twitch:0'], Date.now() + LEASE_MS + minute / 2);
  expect(await take('two')).toEqual({ steam: 2 });
});

test('A process gives up its own parts alone, and only those that it names', async () => {
  await take('one');
  await releaseLeases(db, 'two', all);
  expect(await take('two')).toEqual({});
  await releaseLeases(db, 'one', ['steam', 'twitch:0']);
  expect(await take('two')).toEqual({ steam: 2, 'twitch:0': 2 });
});

test('Only the holder writes; a lapse that nobody used ends with its next write', async () => {
  const lease = await leaseOf('one', 'steam');
  expect(await write(lease, 'in force')).toBe(true);
  expect(await write({ ...lease, holder: 'two' }, 'of another')).toBe(false);
  await endLeases(db, ['steam']);
  expect(await write({ ...lease, epoch: 2 }, 'of another epoch')).toBe(false);
  expect(await write(lease, 'lapsed')).toBe(true);
  expect(await take('two', ['steam'])).toEqual({});
  await releaseLeases(db, 'one', ['steam']);
  expect(await write(lease, 'given up')).toBe(false);
  const keys = (await db.read.select().from(alarms)).map(({ key }) => key);
  expect(keys.sort()).toEqual(['in force', 'lapsed']);
});

test('A holder that wakes after others had its part writes nothing, also when it has the part again', async () => {
  const before = await leaseOf('one', 'steam');
  await endLeases(db, ['steam']);
  const between = await leaseOf('two', 'steam');
  expect([await write(before, 'woken'), await write(between, 'successor')]).toEqual([false, true]);
  await releaseLeases(db, 'two', ['steam']);
  const after = await leaseOf('one', 'steam');
  expect([await write(before, 'woken'), await write(between, 'stopped')]).toEqual([false, false]);
  expect(await write(after, 'again')).toBe(true);
  expect(await db.read.select().from(alarms).where(eq(alarms.key, 'woken'))).toEqual([]);
});

test('The list says who has what since when, and for how long', async () => {
  await take('one');
  await endLeases(db, ['steam']);
  await releaseLeases(db, 'one', ['chat:77']);
  const listed = await listLeases(db.read);
  expect(
    listed.map(({ name, holder, epoch, address, version }) => [name, holder, epoch, address, version]),
  ).toEqual([
    ['chat:77', null, 1, 'http://one:3001', '1.2.3'],
    ['steam', 'one', 1, 'http://one:3001', '1.2.3'],
    ['twitch:0', 'one', 1, 'http://one:3001', '1.2.3'],
  ]);
  const [chat, steam, twitch] = listed;
  expect([chat?.leftMs, steam?.leftMs]).toEqual([0, 0]);
  expect(twitch?.leftMs).toBeGreaterThan(LEASE_MS - 5 * second);
  expect(twitch?.leftMs).toBeLessThanOrEqual(LEASE_MS);
  expect(Math.abs(Date.now() - Number(twitch?.takenAtMs))).toBeLessThan(minute);
});

test('Renewing wakes nobody who waits for changes', async () => {
  await take('one');
  const revision = await db.revision();
  await take('one');
  expect(await db.revision()).toBe(revision);
});

test.runIf(isPostgres)(
  'Renewing wakes nobody in other processes either; a change beside it does, and a lease that is given up',
  async () => {
    const store = await startPglite();
    const [ours, theirs] = [drizzle(store), drizzle(store)].map((handle) =>
      postgresDatabase(handle, async () => {}),
    ) as [Database, Database];
    const [one, two] = [holderNamed('one'), holderNamed('two')];
    const renew = async () => {
      await takeLeases(theirs, one, ['steam', 'twitch:0']);
      await takeSlots(theirs, two);
      await announceProcess(theirs, { id: 'w1', role: 'web', version: '0.1.0', schema: newestKnownStep() });
    };
    await renew();
    const revision = await ours.revision();
    await renew();
    expect(await ours.revision()).toBe(revision);
    await renew();
    await theirs.transaction((tx) => tx.insert(alarms).values({ key: 'k', mailedAtMs: 1 }), { quiet: true });
    const changed = await ours.revision();
    expect(changed).not.toBe(revision);
    await releaseLeases(theirs, 'one', ['steam']);
    expect(await ours.revision()).not.toBe(changed);
    await store.close();
  },
);

test.skipIf(!serverUrl || !isPostgres)(
  'A holder that is paused while it renews its lease keeps nobody from renewing others',
  async () => {
    const store = await openTestDatabase();
    await takeLeases(store, holderNamed('one'), ['steam']);
    await takeLeases(store, holderNamed('two'), ['mails']);
    const pause = { begin: () => {}, end: () => {} };
    const begun = new Promise<void>((resolve) => {
      pause.begin = resolve;
    });
    const ended = new Promise<void>((resolve) => {
      pause.end = resolve;
    });
    const renewing = store.transaction(async (tx) => {
      await tx.update(leases).set({ untilMs: 1 }).where(eq(leases.name, 'steam')).returning();
      pause.begin();
      await ended;
    });
    await begun;
    const taken = await takeLeases(store, holderNamed('two'), ['steam', 'mails']);
    expect(taken.map(({ name }) => name)).toEqual(['mails']);
    pause.end();
    await renewing;
    await store.close();
  },
);

/** Begins a write under a lease that ends once it is let. */
function writeSlowly(store: Database, lease: Lease, key: string) {
  const gate = { open: () => {}, begin: () => {} };
  const opened = new Promise<void>((resolve) => {
    gate.open = resolve;
  });
  const hasBegun = new Promise<void>((resolve) => {
    gate.begin = resolve;
  });
  const writing = underLease(store, lease).transaction(async (tx) => {
    await tx.insert(alarms).values({ key, mailedAtMs: 1 }).returning();
    gate.begin();
    await opened;
  });
  return { hasBegun, open: gate.open, writing };
}

test.skipIf(!serverUrl || !isPostgres)(
  'A lease is not taken over while its holder writes, so that what it wrote was written before',
  async () => {
    const store = await openTestDatabase();
    const [lease] = await takeLeases(store, holderNamed('one'), ['steam']);
    if (!lease) throw new Error('no lease');
    const { hasBegun, open, writing } = writeSlowly(store, lease, 'slow');
    await hasBegun;
    await endLeases(store, ['steam']);
    expect(await takeLeases(store, holderNamed('two'), ['steam'])).toEqual([]);
    open();
    await writing;
    expect(await takeLeases(store, holderNamed('two'), ['steam'])).toMatchObject([{ epoch: 2 }]);
    expect(await store.read.$count(alarms)).toBe(1);
    await store.close();
  },
);

test.skipIf(!serverUrl || !isPostgres)(
  'A write that ends a lapse keeps the lease from being taken over, and one that comes too late is refused',
  async () => {
    const store = await openTestDatabase();
    const [lease] = await takeLeases(store, holderNamed('one'), ['steam']);
    if (!lease) throw new Error('no lease');
    await endLeases(store, ['steam']);
    const { hasBegun, open, writing } = writeSlowly(store, lease, 'lapsed');
    await hasBegun;
    expect(await takeLeases(store, holderNamed('two'), ['steam'])).toEqual([]);
    open();
    await writing;
    expect(await takeLeases(store, holderNamed('two'), ['steam'])).toEqual([]);
    await endLeases(store, ['steam']);
    const races = await Promise.allSettled([
      takeLeases(store, holderNamed('two'), ['steam']),
      underLease(store, lease).transaction((tx) =>
        tx.insert(alarms).values({ key: 'raced', mailedAtMs: 1 }).returning(),
      ),
    ]);
    const [taken, written] = races.map(
      (race) => race.status === 'fulfilled' && (race.value as unknown[]).length > 0,
    );
    expect(taken && written).toBe(false);
    await store.close();
  },
);
