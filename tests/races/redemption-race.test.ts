import { afterAll, expect, test } from 'vitest';
import { endWorkers, makeRaceStore, PROCESSES, stores } from '#tests/races/race-store.ts';

const VIEWERS = 120;
const REWARDS = 40;

interface Received {
  /** Number of redemptions that this process was the first to record. */
  first: number;
  /** Number of redemptions that it leased to settle. */
  leased: number;
}

afterAll(endWorkers);

const sum = (numbers: number[]): number => numbers.reduce((one, other) => one + other, 0);

test.each(stores)(
  'Four processes on one %s store that receive 120 redemptions promise 40 rewards and refund 80',
  { timeout: 120_000 },
  async (kind) => {
    await using store = await makeRaceStore(kind, { viewers: VIEWERS, rewards: REWARDS, pointsCost: 500 });
    const { viewers, twitchRewardId, nowMs } = store;
    // All receive all redemptions, each in its own order, and then lease those to be settled.
    const received = await store.race<Received>('redeem', 'guarded', (process) => {
      const cut = Math.floor((VIEWERS / PROCESSES) * process);
      return { viewers: [...viewers.slice(cut), ...viewers.slice(0, cut)], twitchRewardId, nowMs };
    });
    expect(sum(received.map(({ first }) => first))).toBe(VIEWERS);
    expect(sum(received.map(({ leased }) => leased))).toBe(VIEWERS - REWARDS);
    expect(await store.findings()).toMatchObject({
      promises: REWARDS,
      viewersPromised: REWARDS,
      waiting: 0,
      paidFor: REWARDS,
      toGiveBack: VIEWERS - REWARDS,
    });
  },
);
