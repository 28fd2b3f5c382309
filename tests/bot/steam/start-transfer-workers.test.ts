import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createLog } from '#bot/log.ts';
import { workerRounds } from '#bot/metrics.ts';
import { startTransferWorkers } from '#bot/steam/transfers/start-transfer-workers.ts';
import { type TransferPace, transferPace } from '#bot/steam/transfers/transfer-work.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] });
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
  return () => {
    vi.useRealTimers();
    vi.restoreAllMocks();
  };
});

/** The workers of a bot that is not logged on, so that each round ends at once. */
async function startIdle(pace: Partial<TransferPace> = {}) {
  workerRounds.reset();
  const listeners = new Set<() => void>();
  const changes = {
    listen(changed: () => void) {
      listeners.add(changed);
      return () => void listeners.delete(changed);
    },
  };
  const deps = { changes, clock: { now: () => 0 }, log: createLog('silent') };
  const parts = { deps, botId: 'bot-1', pace: { ...transferPace, ...pace }, account: () => null };
  const workers = startTransferWorkers(parts as unknown as Parameters<typeof startTransferWorkers>[0]);
  onTestFinished(() => workers.stop());
  /** Lists the workers that run in the next `ms` milliseconds, with the number of runs. */
  const runIn = async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms);
    const { values } = await workerRounds.get();
    workerRounds.reset();
    const counts = values.filter(({ metricName }) => metricName?.endsWith('_count'));
    return Object.fromEntries(counts.map(({ labels, value }) => [String(labels.worker), value]));
  };
  const change = () => {
    for (const changed of listeners) changed();
  };
  return { workers, runIn, change };
}

const once = (...names: string[]) => Object.fromEntries(names.map((name) => [`${name}:bot-1`, 1]));
const woken = ['check', 'deliver', 'find', 'confirm', 'follow', 'cancel', 'settle'];
const seldom = ['reconcile', 'strays', 'profile', 'capacity', 'self-test'];

test('All run at the start; later some are woken together, and those that read much by what concerns them', async () => {
  const { workers, runIn } = await startIdle();
  expect(await runIn(0)).toEqual(once(...woken, ...seldom));
  workers.nudge();
  expect(await runIn(0)).toEqual(once(...woken));
  workers.handleOfferChange('1');
  expect(await runIn(0)).toEqual(once('follow'));
  workers.handleReady();
  expect(await runIn(0)).toEqual(once(...woken, 'reconcile', 'profile', 'capacity', 'self-test'));
  await workers.stop();
  workers.handleReady();
  expect(await runIn(0)).toEqual({});
});

test('A change starts each of them after its pause, within ten seconds; a stray offer is looked for at intervals', async () => {
  const usual = await startIdle();
  await usual.runIn(0);
  usual.change();
  expect(await usual.runIn(2999)).toEqual({});
  expect(await usual.runIn(1)).toEqual(once('check', 'deliver'));
  expect(await usual.runIn(2000)).toEqual(once('confirm'));
  expect(await usual.runIn(4999)).toEqual({});
  expect(await usual.runIn(1)).toEqual(once('find', 'follow', 'cancel', 'settle'));
  await usual.workers.stop();

  const quick = await startIdle({ absenceMs: 4000, followMs: 6000, settleMs: 7000 });
  await quick.runIn(0);
  quick.change();
  expect(await quick.runIn(4000)).toEqual(once('check', 'deliver', 'find'));
  expect(await quick.runIn(1000)).toEqual(once('confirm'));
  expect(await quick.runIn(1000)).toEqual(once('follow', 'cancel', 'strays'));
  expect(await quick.runIn(1000)).toEqual(once('settle'));
});
