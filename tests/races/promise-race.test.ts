import { afterAll, expect, test, vi } from 'vitest';
import { endWorkers, makeRaceStore, PROCESSES, type RaceStore, stores } from '#tests/races/race-store.ts';

vi.setConfig({ testTimeout: 120_000 });
afterAll(endWorkers);

/** Four processes evaluate all viewers at the same time, each in its own order. */
async function race(store: RaceStore, guard: 'guarded' | 'unguarded'): Promise<void> {
  const { viewers, nowMs } = store;
  await store.race('evaluate', guard, (process) => {
    const cut = Math.floor((viewers.length / PROCESSES) * process);
    return { viewers: [...viewers.slice(cut), ...viewers.slice(0, cut)], nowMs };
  });
}

for (const kind of stores) {
  test(`The same claim sent twice to ${kind} at once is answered once and creates one offer`, async () => {
    await using store = await makeRaceStore(kind, { viewers: 1, rewards: 1 });
    expect(await store.claimTwice(store.viewers[0] ?? '')).toEqual({ outcomes: [true, true], offers: 1 });
  });

  test.each([
    { type: 'one', rewards: 60, viewers: 200, draws: 0 },
    { type: 'random', rewards: 30, viewers: 100, draws: 30 },
  ] as const)(
    `Four processes on one ${kind} store promise $rewards rewards of a rule of type $type to as many of $viewers viewers`,
    async ({ type, rewards, viewers, draws }) => {
      await using store = await makeRaceStore(kind, { viewers, rewards, type });
      await race(store, 'guarded');
      expect(await store.findings()).toMatchObject({
        promises: rewards,
        viewersPromised: rewards,
        waiting: viewers - rewards,
        draws,
        lastDraw: draws,
      });
    },
  );

  test(`Without unique indexes and locks, ${kind} promises more than one reward to a viewer`, async () => {
    const findUnguarded = async () => {
      await using store = await makeRaceStore(kind, { viewers: 100, rewards: 60 });
      await store.dropUniqueIndexes();
      await race(store, 'unguarded');
      return store.findings();
    };
    let found = await findUnguarded();
    // A viewer is read as waiting and as not promised in one statement, so that few races meet between it and the promise.
    for (let race = 2; race <= 40 && found.viewersPromised === found.promises; race++)
      found = await findUnguarded();
    expect(found.viewersPromised).toBeLessThan(found.promises);
  });
}
