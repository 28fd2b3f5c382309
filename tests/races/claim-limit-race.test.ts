import { afterAll, expect, test, vi } from 'vitest';
import { endWorkers, makeRaceStore, PROCESSES, stores } from '#tests/races/race-store.ts';

vi.setConfig({ testTimeout: 120_000 });
afterAll(endWorkers);

const CLAIMS = 50;
const LIMIT = 3;

test.each(stores)(
  'Of fifty claims at once from four processes on %s the plan’s three succeed',
  async (kind) => {
    await using store = await makeRaceStore(kind, { viewers: 1, rewards: 1 });
    const { userId, rewardIds } = await store.promiseMany(CLAIMS);
    expect(rewardIds).toHaveLength(CLAIMS);
    const answers = await store.race<{ claimed: number }>('claimAll', 'guarded', (process) => ({
      userId,
      rewardIds: rewardIds.filter((_, index) => index % PROCESSES === process),
    }));
    expect(answers.reduce((sum, { claimed }) => sum + claimed, 0)).toBe(LIMIT);
  },
);
