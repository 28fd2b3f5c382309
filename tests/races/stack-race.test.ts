import { afterAll, expect, test, vi } from 'vitest';
import { endWorkers, makeRaceStore, PROCESSES, type RaceStore, stores } from '#tests/races/race-store.ts';

vi.setConfig({ testTimeout: 120_000 });
afterAll(endWorkers);

const DEPOSITS = 20;
/** Without a lock the processes overlap in most rounds, but not in each. */
const ROUNDS = 20;

const askForAll = async (store: RaceStore, guard: 'guarded' | 'unlocked') => {
  const { userIds } = await store.addStackOwners(DEPOSITS);
  const answers = await store.race<{ asked: number }>('depositStacks', guard, (process) => ({
    userIds: userIds.filter((_, index) => index % PROCESSES === process),
  }));
  return answers.reduce((sum, { asked }) => sum + asked, 0);
};

test.each(stores)(
  'Of twenty stacks of one class that four processes ask for at once on %s, one bot gets one',
  async (kind) => {
    await using store = await makeRaceStore(kind, { viewers: 1, rewards: 1 });
    expect(await askForAll(store, 'guarded')).toBe(1);
  },
);

test.runIf(stores.includes('PostgreSQL'))(
  'Without their lock several deposits at once would get in',
  async () => {
    let asked = 0;
    for (let round = 0; round < ROUNDS && asked <= 1; round++) {
      await using store = await makeRaceStore('PostgreSQL', { viewers: 1, rewards: 1 });
      asked = await askForAll(store, 'unlocked');
    }
    expect(asked).toBeGreaterThan(1);
  },
);
