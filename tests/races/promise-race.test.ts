import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { makeRaceStore, type RaceStore, stores } from '#tests/races/race-store.ts';

const PROCESSES = 4;
const VIEWERS = 200;
const REWARDS = 60;

/** Four processes evaluate all viewers, each in an order of its own, from the same moment on. */
async function race(store: RaceStore, guard: 'guarded' | 'unguarded'): Promise<void> {
  const children = Array.from({ length: PROCESSES }, (_, place) => {
    const cut = Math.floor((VIEWERS / PROCESSES) * place);
    const order = [...store.viewers.slice(cut), ...store.viewers.slice(0, cut)];
    return spawnChild(store, [guard, String(store.nowMs), ...(guard === 'guarded' ? order : store.viewers)]);
  });
  await Promise.all(children.map((child) => child.ready));
  const ended = children.map(({ child }) => once(child, 'exit'));
  for (const { child } of children) child.stdin?.write('go\n');
  const codes = (await Promise.all(ended)).map(([code]) => code);
  expect(codes).toEqual(codes.map(() => 0));
}

function spawnChild(store: RaceStore, args: string[]): { child: ChildProcess; ready: Promise<unknown> } {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', new URL('./evaluate-in-a-child.ts', import.meta.url).pathname, store.file, ...args],
    { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, ...store.env } },
  );
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  return { child, ready: once(lines, 'line') };
}

for (const kind of stores) {
  test(`The same claim sent twice to ${kind} at once is answered once and makes one offer`, {
    timeout: 120_000,
  }, async () => {
    await using store = await makeRaceStore(kind, { viewers: 1, rewards: 1 });
    expect(await store.claimTwice(store.viewers[0] ?? '')).toEqual({ outcomes: [true, true], offers: 1 });
  });

  test.each([
    ['one', 0],
    ['random', REWARDS],
  ] as const)(
    `Four processes on one ${kind} store promise 60 rewards of a rule of type %s to 60 of 200 viewers`,
    {
      timeout: 120_000,
    },
    async (type, draws) => {
      await using store = await makeRaceStore(kind, { viewers: VIEWERS, rewards: REWARDS, type });
      await race(store, 'guarded');
      expect(await store.findings()).toMatchObject({
        promises: REWARDS,
        viewersPromised: REWARDS,
        waiting: VIEWERS - REWARDS,
        draws,
        lastDraw: draws,
      });
    },
  );

  test(`Without unique indexes and locks, ${kind} promises more than one reward to a viewer`, {
    timeout: 120_000,
  }, async () => {
    await using store = await makeRaceStore(kind, { viewers: VIEWERS, rewards: REWARDS });
    await store.dropUniqueIndexes();
    await race(store, 'unguarded');
    const { promises, viewersPromised } = await store.findings();
    expect(viewersPromised).toBeLessThan(promises);
  });
}
