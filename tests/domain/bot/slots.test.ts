import { eq, inArray } from 'drizzle-orm';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Database, holdLock, lockNamed, type Tx } from '#db/database.ts';
import { isPostgres } from '#db/dialect.ts';
import { leases, sharers } from '#db/schema/lease.ts';
import { alarms } from '#db/schema/outbox.ts';
import { releaseLeases } from '#domain/bot/release-leases.ts';
import { LeaseLost, underLease } from '#domain/bot/require-lease.ts';
import { type Lease, takeLeases } from '#domain/bot/take-leases.ts';
import {
  areSettled,
  leaveSlots,
  planSlots,
  readSlots,
  SLOTS,
  slotNames,
  slotOf,
  takeSlots,
} from '#domain/bot/take-slots.ts';
import { minute } from '#domain/kernel/time.ts';
import { openLoneDatabase, openTestDatabase } from '#tests/support/database.ts';
import { endLeases, holderNamed } from '#tests/support/leases.ts';
import { serverUrl } from '#tests/support/postgres-server.ts';

let db: Database;
beforeEach(async () => {
  db = await openLoneDatabase();
});
afterEach(() => db.close());

/** One round of a process: it shares, and gives up what is too much at once. */
async function round(holder: string): Promise<Lease[]> {
  const { taken, surplus } = await takeSlots(db, holderNamed(holder));
  await releaseLeases(db, holder, surplus);
  return taken.filter(({ name }) => !surplus.includes(name));
}

/** Ends what a process has, and that it is known, as if it had been away for as long as that lasts. */
async function letRunOut(holder: string): Promise<void> {
  const { holders } = await readSlots(db.read);
  await endLeases(
    db,
    slotNames.filter((name) => holders.get(name) === holder),
  );
  await db.transaction((tx) =>
    tx.update(sharers).set({ untilMs: 1 }).where(eq(sharers.holder, holder)).returning(),
  );
}

const write = (tx: Tx, key: string) => tx.insert(alarms).values({ key, mailedAtMs: 1 }).returning();

async function countOf(...names: string[]): Promise<number[]> {
  const owners = [...(await readSlots(db.read)).holders.values()];
  return names.map((name) => owners.filter((owner) => owner === name).length);
}

test('One process has all slots, and a second one gets half of them; neither moves any more', async () => {
  await round('one');
  expect(await countOf('one')).toEqual([SLOTS]);
  await round('two');
  expect(await countOf('one', 'two')).toEqual([SLOTS, 0]);
  for (const holder of ['one', 'two']) await round(holder);
  expect(await countOf('one', 'two')).toEqual([SLOTS / 2, SLOTS / 2]);
  const before = (await readSlots(db.read)).holders;
  for (const holder of ['two', 'one', 'two']) await round(holder);
  expect((await readSlots(db.read)).holders).toEqual(before);
});

test('The slots of a process that stops are taken at once, those of a killed one when they end', async () => {
  for (const holder of Array(3).fill(['one', 'two', 'three']).flat()) await round(holder);
  expect((await countOf('one', 'two', 'three')).sort()).toEqual([10, 11, 11]);
  await leaveSlots(db, 'two');
  await round('one');
  await round('three');
  expect(await countOf('one', 'two', 'three')).toEqual([16, 0, 16]);
  await round('one');
  await letRunOut('three');
  await round('one');
  expect(await countOf('one', 'three')).toEqual([SLOTS, 0]);
  expect(await db.read.$count(sharers)).toBe(1);
});

/** Three processes with equal shares, and the leases of each by name. */
async function shareAmongThree() {
  for (const holder of Array(3).fill(['one', 'two', 'three']).flat()) await round(holder);
  const had = new Map<string, Lease[]>();
  for (const holder of ['one', 'two', 'three']) had.set(holder, byName(await round(holder)));
  return had;
}
const byName = (some: readonly Lease[]) => some.toSorted((a, b) => (a.name < b.name ? -1 : 1));

test('After an outage in which all lapsed nothing moves, whoever is back first; who stays away is followed later', async () => {
  const had = await shareAmongThree();
  const before = (await readSlots(db.read)).holders;
  await endLeases(db, slotNames);
  await db.transaction((tx) => tx.update(sharers).set({ untilMs: 1 }).returning());
  for (const holder of ['two', 'one', 'two']) expect(byName(await round(holder))).toEqual(had.get(holder));
  expect((await readSlots(db.read)).holders).toEqual(before);
  await letRunOut('three');
  for (const holder of ['two', 'one']) await round(holder);
  expect(await countOf('one', 'two', 'three')).toEqual([16, 16, 0]);
});

test('A process whose slots have lapsed goes on with them, and takes no others in their place', async () => {
  const had = await shareAmongThree();
  const own = had.get('two') ?? [];
  await leaveSlots(db, 'one');
  await endLeases(
    db,
    own.map(({ name }) => name),
  );
  expect(await round('two')).toEqual(expect.arrayContaining(own));
});

test('Work of several slots is refused as a whole once another process has one; a lapse alone ends with it', async () => {
  const [one, two, three] = (await round('one')) as [Lease, Lease, Lease, ...Lease[]];
  const writeInAll = (key: string) => underLease(db, one, two, three).transaction((tx) => write(tx, key));
  await writeInAll('in force');
  await endLeases(db, [one.name, two.name]);
  await writeInAll('lapsed');
  expect(await countOf('one')).toEqual([SLOTS]);
  await endLeases(db, [two.name]);
  await takeLeases(db, holderNamed('two'), [two.name]);
  await expect(writeInAll('lost')).rejects.toThrow(new LeaseLost(two));
  const keys = (await db.read.select().from(alarms)).map(({ key }) => key);
  expect(keys.sort()).toEqual(['in force', 'lapsed']);
});

test('A channel has one slot for good, and slots have about equally many channels', () => {
  expect([slotOf('700'), slotOf('123456789')]).toEqual([slotOf('700'), slotOf('123456789')]);
  const counts = new Map(slotNames.map((name) => [name, 0]));
  for (let id = 40_000_000; id < 40_032_000; id++)
    counts.set(slotOf(`${id}`), (counts.get(slotOf(`${id}`)) ?? 0) + 1);
  expect(counts.size).toBe(SLOTS);
  for (const count of counts.values()) expect(Math.abs(count - 1000)).toBeLessThan(150);
});

test('Of more processes than slots each has one at most, and keeps it', () => {
  const living = Array.from({ length: SLOTS + 3 }, (_, number) => `process ${number}`);
  const holders = new Map(slotNames.map((name, place) => [name, living[place + 3] as string]));
  for (const holder of living) {
    const { mine, surplus, wanted } = planSlots(holder, { living, holders });
    expect([mine.length, surplus, wanted]).toEqual([
      holder > 'process 2' || holder.length > 9 ? 1 : 0,
      [],
      [],
    ]);
  }
});

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ does: fc.constant('round' as const), who: fc.nat(4) }) },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constantFrom('stop' as const, 'runOut' as const), who: fc.nat(4) }),
  },
);

test('Whatever processes come, go and pause: a slot has one holder, and the shares become equal and stay', () =>
  fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      await db.transaction(async (tx) => {
        await tx.delete(leases).where(inArray(leases.name, [...slotNames]));
        await tx.delete(sharers);
      });
      const living = new Set<string>();
      /** The slots that each process believes to have. */
      const believed = new Map<string, Lease[]>();
      for (const { does, who } of steps) {
        const holder = `process ${who}`;
        if (does === 'stop') await leaveSlots(db, holder);
        if (does === 'runOut') await letRunOut(holder);
        if (does === 'round') believed.set(holder, await round(holder));
        if (does === 'round') living.add(holder);
        else living.delete(holder);
        await oneHolderEach(believed);
      }
      // The processes that had lapsed together with others are known for a while longer.
      const known = await db.read.select().from(sharers);
      for (const { holder } of known) if (!living.has(holder)) await letRunOut(holder);
      for (let settling = 0; settling < 4; settling++) for (const holder of living) await round(holder);
      const settled = (await readSlots(db.read)).holders;
      const shares = await countOf(...living);
      if (living.size > 0) {
        expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(SLOTS);
      }
      for (const holder of [...living].reverse()) await round(holder);
      expect((await readSlots(db.read)).holders).toEqual(settled);
    }),
    { numRuns: 15 },
  ));

/** Of all that believe to have a slot, exactly the one that the database names can write under it. */
async function oneHolderEach(believed: ReadonlyMap<string, readonly Lease[]>): Promise<void> {
  const rows = await db.read.select().from(leases);
  const { holders } = await readSlots(db.read);
  for (const [holder, taken] of believed)
    for (const { name, epoch } of taken) {
      const row = rows.find((one) => one.name === name);
      const isInForce = row?.holder === holder && row.epoch === epoch && Number(row.untilMs) > 1;
      expect(holders.get(name) === holder && row?.epoch === epoch).toBe(isInForce);
    }
}

/** Holds a transaction open once it has done something, until it is let go. */
async function holdOpen(store: Database, act: (tx: Tx) => Promise<unknown>) {
  const gate = { begin: () => {}, letGo: () => {} };
  const begun = new Promise<void>((resolve) => {
    gate.begin = resolve;
  });
  const ended = new Promise<void>((resolve) => {
    gate.letGo = resolve;
  });
  const open = store.transaction(async (tx) => {
    await act(tx);
    gate.begin();
    await ended;
  });
  await begun;
  const letGo = async () => {
    gate.letGo();
    await open;
  };
  return { letGo, [Symbol.asyncDispose]: letGo };
}

test.skipIf(!serverUrl || !isPostgres)(
  'A lapsed slot that its own process is writing is still its own',
  async () => {
    await using store = await openTestDatabase();
    const { taken } = await takeSlots(store, holderNamed('one'));
    const [slot] = taken as [Lease];
    await endLeases(store, [slot.name]);
    await using held = await holdOpen(store, (tx) =>
      tx
        .update(leases)
        .set({ untilMs: Date.now() + minute })
        .where(eq(leases.name, slot.name))
        .returning(),
    );
    const again = await takeSlots(store, holderNamed('one'));
    expect(again.taken).toHaveLength(SLOTS - 1);
    expect(again.shared.holders.get(slot.name)).toBe('one');
    await held.letGo();
  },
);

test.skipIf(!serverUrl || !isPostgres)(
  'Lapsed slots are in force again before the work in them waits for a channel',
  async () => {
    await using store = await openTestDatabase();
    const { taken } = await takeSlots(store, holderNamed('one'));
    const lapsed = taken.slice(0, 2);
    await endLeases(
      store,
      lapsed.map(({ name }) => name),
    );
    const lock = lockNamed('channel 700');
    await using held = await holdOpen(store, (tx) => holdLock(tx, lock));
    const keys = ['one', 'several'];
    const writing = Promise.all([
      underLease(store, lapsed[1] as Lease).transaction((tx) => write(tx, 'one'), { lock }),
      underLease(store, ...lapsed).transaction(async (tx) => write(await holdLock(tx, lock), 'several')),
    ]);
    await expect
      .poll(async () => [...(await readSlots(store.read)).holders.values()].every((owner) => owner === 'one'))
      .toBe(true);
    await held.letGo();
    await writing;
    expect((await store.read.select().from(alarms)).map(({ key }) => key).sort()).toEqual(keys);
  },
);

test('Slots of a process that lives no more are not settled, although their time is not over yet', () => {
  const half = SLOTS / 2;
  const holders = new Map(slotNames.map((name, place) => [name, place < half ? 'one' : 'two']));
  expect(areSettled('one', { living: ['one', 'two'], holders })).toBe(true);
  expect(areSettled('one', { living: ['two'], holders })).toBe(true);
  expect(areSettled('one', { living: ['one'], holders })).toBe(false);
  expect(areSettled('one', { living: ['one', 'three'], holders })).toBe(false);
});
