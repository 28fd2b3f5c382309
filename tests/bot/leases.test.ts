import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { watchChanges } from '#bot/changes.ts';
import type { BotDeps, BotPart } from '#bot/deps.ts';
import {
  countDown,
  countDownLapse,
  HELD_MS,
  type LeasedDeps,
  type LeasedPart,
  Leases,
  RENEW_MS,
} from '#bot/leases.ts';
import { createLog } from '#bot/log.ts';
import type { Database } from '#db/database.ts';
import { alarms } from '#db/schema/outbox.ts';
import { releaseLeases } from '#domain/bot/release-leases.ts';
import { LeaseLost } from '#domain/bot/require-lease.ts';
import { LEASE_MS, type LeaseName, takeLeases } from '#domain/bot/take-leases.ts';
import { hour, minute } from '#domain/kernel/time.ts';
import { systemClock } from '#platform/clock.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { endAllLeases, endLeases, holderNamed } from '#tests/support/leases.ts';
import { holdTime, passTime, skippableTime, stepHostClock } from '#tests/support/passing-time.ts';
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

interface Part extends BotPart {
  deps: LeasedDeps;
}

/** A process that runs parts under these leases, and what it did in order. */
function startProcess(
  holder: string,
  names: readonly LeaseName[],
  store = db,
  { startPart = () => {}, stopPart = async (_name: LeaseName) => {}, address = `http://${holder}:3001` } = {},
) {
  const acts: string[] = [];
  const known = { db: store, clock: systemClock, log: createLog('silent') };
  const changes = watchChanges(known);
  const leases = new Leases({ ...known, changes } as unknown as BotDeps, { ...holderNamed(holder), address });
  const parts = names.map((name) =>
    leases.whileHeld<Part>(name, [name], (deps) => {
      acts.push(`starts ${name} in ${deps.lease.epoch}`);
      startPart();
      return {
        deps,
        report: () => ({ [name]: { state: 'ready' } }),
        nudge() {},
        async stop() {
          acts.push(`stops ${name} of ${deps.lease.epoch}`);
          await stopPart(name);
        },
      };
    }),
  );
  const stop = async () => {
    await Promise.all(parts.map((part) => part.stop()));
    await leases.stop();
    changes.stop();
  };
  stops.push(stop);
  return { acts, parts: parts as [LeasedPart<Part>, ...LeasedPart<Part>[]], stop };
}
/** Waits until all parts of a process run. */
async function running({ parts }: ReturnType<typeof startProcess>) {
  await until(() => parts.every((part) => part.current()), 'running parts');
  return parts;
}
const write = (deps: LeasedDeps, key: string) =>
  deps.db.transaction((tx) => tx.insert(alarms).values({ key, mailedAtMs: 1 }));

test('A second process stands by, and goes on with all parts soon after the first has stopped', async () => {
  const first = startProcess('one', ['mails', 'billing']);
  await running(first);
  const second = startProcess('two', ['mails', 'billing']);
  await until(() => second.parts[0].report().mails?.state === 'off', 'the standby');
  expect(second.parts[0].report()).toEqual({
    mails: { state: 'off', detail: 'another process does this' },
  });
  const stoppedAtMs = performance.now();
  await first.stop();
  await running(second);
  expect(performance.now() - stoppedAtMs).toBeLessThan(4000);
  expect(first.acts).toEqual([
    'starts mails in 1',
    'starts billing in 1',
    'stops mails of 1',
    'stops billing of 1',
  ]);
  expect(second.acts).toEqual(['starts mails in 2', 'starts billing in 2']);
});

test('A process that wakes after another took its part writes nothing, ends the part, and may have it again', async () => {
  const first = startProcess('one', ['mails']);
  const [part] = await running(first);
  const { deps } = part.current() as Part;
  await write(deps, 'before');
  await endAllLeases(db);
  await takeLeases(db, holderNamed('two'), ['mails']);
  await expect(write(deps, 'woken')).rejects.toBeInstanceOf(LeaseLost);
  await until(() => part.current() === null, 'the end of the part');
  expect(deps.lease.isHeld()).toBe(false);
  await endLeases(db, ['mails']);
  await running(first);
  expect(first.acts).toEqual(['starts mails in 1', 'stops mails of 1', 'starts mails in 3']);
  await expect(write(deps, 'of an earlier epoch')).rejects.toBeInstanceOf(LeaseLost);
  await write((part.current() as Part).deps, 'again');
  const keys = (await db.read.select().from(alarms)).map(({ key }) => key);
  expect(keys.sort()).toEqual(['again', 'before']);
});

test('A planned stop frees each lease as its part ends, without waiting for the slowest', async () => {
  const slow = { end: () => {} };
  const ended = new Promise<void>((resolve) => {
    slow.end = resolve;
  });
  const first = startProcess('one', ['mails', 'billing'], db, {
    stopPart: async (name) => (name === 'billing' ? ended : undefined),
  });
  await running(first);
  const second = startProcess('two', ['mails', 'billing']);
  const [mails, billing] = second.parts;
  const stopped = first.stop();
  await until(() => mails.current(), 'the part that has ended');
  expect(billing?.current()).toBeNull();
  slow.end();
  await stopped;
  await running(second);
});

test('A planned stop gives the lease of a part up whose work does not end, once its calls are cut off', async () => {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const cutOff = { isHeld: false, isLost: true };
  const first = startProcess('one', ['mails'], db, { stopPart: () => ended });
  const [part] = await running(first);
  const { deps } = part.current() as Part;
  const second = startProcess('two', ['mails']);
  const stopped = first.stop();
  await until(() => !deps.lease.isHeld(), 'the end of calls');
  Object.assign(cutOff, { isHeld: deps.lease.isHeld(), isLost: deps.lease.isLost() });
  // The result of a call can still be written, while nobody else has the part.
  await write(deps, 'report');
  await running(second);
  expect(cutOff).toEqual({ isHeld: false, isLost: false });
  expect(deps.lease.isLost()).toBe(true);
  await expect(write(deps, 'late')).rejects.toBeInstanceOf(LeaseLost);
  end();
  await stopped;
  expect(second.acts).toEqual(['starts mails in 2']);
});

test('A process stops while the database is away; its leases end by themselves', async () => {
  let isAway = false;
  const one = startProcess('one', ['mails'], {
    ...db,
    transaction: (decide, options) =>
      isAway ? Promise.reject(new Error('away')) : db.transaction(decide, options),
    heartbeat: (write) => (isAway ? Promise.reject(new Error('away')) : db.heartbeat(write)),
  });
  await running(one);
  isAway = true;
  await one.stop();
  expect(one.acts).toEqual(['starts mails in 1', 'stops mails of 1']);
});

test('A part that cannot be started is tried again and says so, until it stops', async () => {
  let faults = 1;
  const one = startProcess('one', ['mails'], db, {
    startPart: () => {
      if (faults-- > 0) throw new Error('a fault');
    },
  });
  const [part] = one.parts;
  await until(() => part.report().mails?.state === 'faulty', 'the report');
  await running(one);
  expect(part.report()).toEqual({ mails: { state: 'ready' } });
  faults = 1000;
  await endLeases(db, ['mails']);
  await takeLeases(db, holderNamed('two'), ['mails']);
  await until(() => part.current() === null, 'the end of the part');
  await endLeases(db, ['mails']);
  await until(() => part.report().mails?.state === 'faulty', 'the report');
  await one.stop();
});

test('What a killed process of the same address had is about to start, and not done by another', async () => {
  const { skip } = skippableTime();
  await takeLeases(db, { ...holderNamed('killed'), address: 'http://bot:3001' }, ['mails']);
  await endLeases(db, ['mails'], Date.now() + minute);
  const [part] = startProcess('again', ['mails'], db, { address: 'http://bot:3001' }).parts;
  const [other] = startProcess('two', ['mails']).parts;
  await until(() => other.report().mails?.state === 'off', 'the standby');
  expect(part.report()).toEqual({ mails: { state: 'starting' } });
  skip(LEASE_MS + minute);
  await until(() => part.report().mails?.state === 'off', 'another process that has the address too');
});

test('A lease that is given up just before a renewal is taken with that renewal', async () => {
  const { skip } = skippableTime();
  await takeLeases(db, holderNamed('two'), ['billing']);
  let renewals = 0;
  const store: Database = {
    ...db,
    heartbeat: (write) => {
      renewals += 1;
      return db.heartbeat(write);
    },
  };
  const { parts } = startProcess('one', ['mails', 'billing'], store);
  await until(() => parts[1]?.report().billing?.state === 'off', 'the standby');
  renewals = 0;
  skip(RENEW_MS);
  await releaseLeases(db, 'two', ['billing']);
  await until(() => parts[1]?.current() ?? null, 'the other part');
  expect(renewals).toBe(1);
});

test('A part acts no more while the database does not answer, and goes on in the same epoch when it does', async () => {
  let isAway = false;
  const { skip } = skippableTime();
  const store: Database = {
    ...db,
    transaction: (decide, options) =>
      isAway ? Promise.reject(new Error('away')) : db.transaction(decide, options),
    heartbeat: (write) => (isAway ? Promise.reject(new Error('away')) : db.heartbeat(write)),
  };
  const one = startProcess('one', ['mails'], store);
  const [part] = await running(one);
  const { lease } = (part.current() as Part).deps;
  isAway = true;
  skip(HELD_MS);
  expect([lease.isHeld(), lease.leftMs()]).toEqual([false, 0]);
  isAway = false;
  await until(() => lease.isHeld(), 'the lease');
  expect(one.acts).toEqual(['starts mails in 1']);
});

test('A part goes on while its lease cannot be renewed because its row is being written', async () => {
  let isLocked = false;
  let skipped = 0;
  const { skip } = skippableTime();
  const store: Database = {
    ...db,
    heartbeat: (write) => {
      if (!isLocked) return db.heartbeat(write);
      skipped += 1;
      return Promise.resolve([] as never);
    },
  };
  const one = startProcess('one', ['mails'], store);
  const [part] = await running(one);
  const { lease } = (part.current() as Part).deps;
  isLocked = true;
  skip(HELD_MS);
  await until(() => skipped > 1, 'two renewals that found the row locked');
  expect([lease.isHeld(), lease.isLost()]).toEqual([false, false]);
  isLocked = false;
  await until(() => lease.isHeld(), 'the lease');
  expect(one.acts).toEqual(['starts mails in 1']);
});

test('Time runs by the clock that is ahead: the machine may sleep, and its date may be set', () => {
  holdTime();
  onTestFinished(() => void vi.useRealTimers());
  const left = countDown(1000);
  passTime(300);
  expect(left()).toBe(700);
  stepHostClock(500);
  expect(left()).toBe(200);
  stepHostClock(-hour);
  expect(left()).toBe(700);
  passTime(700);
  expect(left()).toBe(0);
});

test('A lease that seems to last a minute is looked at when the longest could be over', () => {
  holdTime();
  onTestFinished(() => void vi.useRealTimers());
  expect(countDownLapse(LEASE_MS + minute)()).toBe(countDownLapse(LEASE_MS)());
  expect(countDownLapse(1000)()).toBeGreaterThan(1000);
  expect(countDownLapse(1000)()).toBeLessThan(1200);
});
