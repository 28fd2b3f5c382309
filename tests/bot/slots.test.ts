import { afterEach, beforeEach, expect, test } from 'vitest';
import { watchChanges } from '#bot/changes.ts';
import type { BotDeps } from '#bot/deps.ts';
import { HELD_MS, type HeldLease } from '#bot/leases.ts';
import { createLog } from '#bot/log.ts';
import { SharedSlots } from '#bot/slots.ts';
import type { Database } from '#db/database.ts';
import { sharers } from '#db/schema/lease.ts';
import { alarms } from '#db/schema/outbox.ts';
import { LeaseLost } from '#domain/bot/require-lease.ts';
import { LEASE_MS, type LeaseName } from '#domain/bot/take-leases.ts';
import { readSlots, SLOTS, slotNames, slotOf } from '#domain/bot/take-slots.ts';
import { minute, second } from '#domain/kernel/time.ts';
import { systemClock } from '#platform/clock.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { endLeases, holderNamed, occupyLeases } from '#tests/support/leases.ts';
import { skippableTime } from '#tests/support/passing-time.ts';
import { until } from '#tests/support/steam-stage.ts';

let db: Database;
beforeEach(async () => {
  db = await openTestDatabase();
});
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  await db.close();
});

/** Channels of which each has another slot. */
const channelIds = new Map<LeaseName, string>();
for (let id = 1; channelIds.size < SLOTS; id++) channelIds.set(slotOf(`${id}`), `${id}`);
const channels = [...channelIds.values()];

/** A process that shares the slots; `settle` is its work under way in one that it gives up. */
function startProcess(
  holder: string,
  settle = async (_name: LeaseName) => {},
  { store = db, limits = { moveMs: minute, stopMs: minute } } = {},
) {
  const known = { db: store, clock: systemClock, log: createLog('silent') };
  const changes = watchChanges(known);
  const slots = new SharedSlots({ ...known, changes } as unknown as BotDeps, holderNamed(holder), limits);
  slots.start({ settle, changed: () => {} });
  stops.push(async () => {
    await slots.stop();
    changes.stop();
  });
  return {
    slots,
    mine: () => channels.filter((id) => slots.leaseOf(id)?.isHeld()),
    has: (amount: number) =>
      until(
        () => channels.filter((id) => slots.leaseOf(id)?.isHeld()).length === amount,
        `${amount} slots of ${holder}`,
      ),
  };
}
/** The time until which a process is known to live; 0 if it is not. */
const untilOf = async (holder: string): Promise<number> =>
  (await db.read.select().from(sharers)).find((one) => one.holder === holder)?.untilMs ?? 0;
const write = (slots: SharedSlots, leases: readonly HeldLease[], key: string) =>
  slots.databaseFor(leases).transaction((tx) => tx.insert(alarms).values({ key, mailedAtMs: 1 }).returning());

test('A second process gets half of the slots, each once the work under way in it has ended', async () => {
  const work = { end: () => {} };
  const ended = new Promise<void>((resolve) => {
    work.end = resolve;
  });
  const one = startProcess('one', () => ended);
  await one.has(SLOTS);
  expect([one.slots.areAllHere(), one.slots.count()]).toEqual([true, SLOTS]);
  const two = startProcess('two');
  // Nothing new begins in them.
  await one.has(SLOTS / 2);
  // Both processes look several times before the first one is renewed.
  const known = await untilOf('one');
  await until(async () => (await untilOf('one')) > known, 'a renewal');
  expect([two.mine().length, one.slots.count()]).toEqual([0, SLOTS]);
  work.end();
  await two.has(SLOTS / 2);
  expect([...one.mine(), ...two.mine()].sort()).toEqual([...channels].sort());
  expect([one.slots.areAllHere(), two.slots.areAllHere()]).toEqual([false, false]);
});

/** Work that never ends in one slot; there is none in the others. */
const hangIn = (hung: LeaseName) => (name: LeaseName) =>
  name === hung ? new Promise<void>(() => {}) : Promise.resolve();
const hungSlot = slotNames.at(-1) as LeaseName;
const hungChannel = channelIds.get(hungSlot) as string;

test('A slot whose work does not end moves all the same, and what is still written for it is refused', async () => {
  const one = startProcess('one', hangIn(hungSlot), { limits: { moveMs: 50, stopMs: minute } });
  await one.has(SLOTS);
  const lease = one.slots.leaseOf(hungChannel) as HeldLease;
  const two = startProcess('two');
  await two.has(SLOTS / 2);
  expect([one.slots.leaseOf(hungChannel), two.slots.leaseOf(hungChannel)?.isHeld()]).toEqual([null, true]);
  await expect(write(one.slots, [lease], 'late')).rejects.toThrow(LeaseLost);
});

test('A process that stops gives up each slot once the work in it has ended, and waits for none too long', async () => {
  const one = startProcess('one', hangIn(hungSlot), { limits: { moveMs: minute, stopMs: 3 * second } });
  await one.has(SLOTS);
  const stopped = one.slots.stop();
  const two = startProcess('two');
  await two.has(SLOTS - 1);
  expect(two.slots.leaseOf(hungChannel)).toBeNull();
  await stopped;
  await two.has(SLOTS);
});

test('What a stopped process had, another has within two seconds, and nothing of a stopped one is left', async () => {
  const [one, two] = [startProcess('one'), startProcess('two')];
  await one.has(SLOTS / 2);
  await two.has(SLOTS / 2);
  const stoppedAtMs = performance.now();
  await one.slots.stop();
  await two.has(SLOTS);
  expect(performance.now() - stoppedAtMs).toBeLessThan(4000);
  expect((await db.read.select().from(sharers)).map(({ holder }) => holder)).toEqual(['two']);
});

test('A process that wakes writes nothing in the slots that others took, and has a share again', async () => {
  let isAway = false;
  const { skip } = skippableTime();
  const store: Database = {
    ...db,
    transaction: (decide, options) =>
      isAway ? Promise.reject(new Error('away')) : db.transaction(decide, options),
    heartbeat: (write) => (isAway ? Promise.reject(new Error('away')) : db.heartbeat(write)),
  };
  const one = startProcess('one', async () => {}, { store });
  await one.has(SLOTS);
  const leases = channels.slice(0, 2).flatMap((id) => one.slots.leaseOf(id) ?? []);
  await write(one.slots, leases, 'held');
  isAway = true;
  skip(HELD_MS);
  expect(one.mine()).toEqual([]);
  await endLeases(db, slotNames);
  const two = startProcess('two');
  await until(async () => [...(await readSlots(db.read)).holders.values()].includes('two'), 'a taken slot');
  isAway = false;
  await one.has(SLOTS / 2);
  await two.has(SLOTS / 2);
  const lost = leases.filter((lease) => lease.isLost());
  expect(lost.every((lease) => lease.leftMs() === 0)).toBe(true);
  expect(lost).not.toEqual([]);
  await expect(write(one.slots, leases, 'woken')).rejects.toThrow(LeaseLost);
  expect((await db.read.select().from(alarms)).map(({ key }) => key)).not.toContain('woken');
});

test('A process that finds all slots taken is about to start, and says later that others have them', async () => {
  const { skip } = skippableTime();
  const { slots } = startProcess('late');
  await until(() => slots.count() === SLOTS, 'all slots');
  await slots.stop();
  await occupyLeases(db, slotNames);
  const again = startProcess('again');
  await until(async () => (await db.read.select().from(sharers)).length === 1, 'the new process');
  expect([again.slots.count(), again.slots.areElsewhere()]).toEqual([0, false]);
  skip(LEASE_MS + minute);
  await until(() => again.slots.areElsewhere(), 'the others');
});
