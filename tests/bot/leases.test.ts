import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { BotDeps, BotPart } from '#bot/deps.ts';
import { countDown, HELD_MS, type LeasedDeps, type LeasedPart, Leases } from '#bot/leases.ts';
import { createLog } from '#bot/log.ts';
import type { Database } from '#db/database.ts';
import { alarms } from '#db/schema/outbox.ts';
import { LeaseLost } from '#domain/bot/require-lease.ts';
import { type LeaseName, takeLeases } from '#domain/bot/take-leases.ts';
import { hour } from '#domain/kernel/time.ts';
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
function startProcess(holder: string, names: readonly LeaseName[], store = db) {
  const acts: string[] = [];
  const leases = new Leases(
    { db: store, log: createLog('silent') } as unknown as BotDeps,
    holderNamed(holder),
  );
  const parts = names.map((name) =>
    leases.whileHeld<Part>(name, [name], (deps) => {
      acts.push(`starts ${name} in ${deps.lease.epoch}`);
      return {
        deps,
        report: () => ({ [name]: { state: 'ready' } }),
        nudge() {},
        async stop() {
          acts.push(`stops ${name} of ${deps.lease.epoch}`);
        },
      };
    }),
  );
  const stop = async () => {
    await Promise.all(parts.map((part) => part.stop()));
    await leases.stop();
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

test('A part acts no more while the database does not answer, and goes on in the same epoch when it does', async () => {
  let isAway = false;
  const { skip } = skippableTime();
  const store: Database = {
    ...db,
    transaction: (decide, options) =>
      isAway ? Promise.reject(new Error('away')) : db.transaction(decide, options),
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
