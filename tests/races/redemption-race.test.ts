import { afterAll, expect, test } from 'vitest';
import { endWorkers, makeRaceStore, PROCESSES, stores } from '#tests/races/race-store.ts';

const VIEWERS = 120;
const REWARDS = 40;

interface Heard {
  /** How many redemptions this process was the first to hear of. */
  first: number;
  /** How many it took to tell Twitch about. */
  leased: number;
}

afterAll(endWorkers);

const sum = (numbers: number[]): number => numbers.reduce((one, other) => one + other, 0);

test.each(stores)(
  'Four processes on one %s store that hear of 120 redemptions promise 40 rewards and give 80 back',
  { timeout: 120_000 },
  async (kind) => {
    await using store = await makeRaceStore(kind, { viewers: VIEWERS, rewards: REWARDS, pointsCost: 500 });
    const { viewers, twitchRewardId, nowMs } = store;
    // All hear of all redemptions, each in an order of its own, and then take what Twitch is to be told.
    const heard = await store.race<Heard>('redeem', 'guarded', (process) => {
      const cut = Math.floor((VIEWERS / PROCESSES) * process);
      return { viewers: [...viewers.slice(cut), ...viewers.slice(0, cut)], twitchRewardId, nowMs };
    });
    expect(sum(heard.map(({ first }) => first))).toBe(VIEWERS);
    expect(sum(heard.map(({ leased }) => leased))).toBe(VIEWERS - REWARDS);
    expect(await store.findings()).toMatchObject({
      promises: REWARDS,
      viewersPromised: REWARDS,
      waiting: 0,
      paidFor: REWARDS,
      toGiveBack: VIEWERS - REWARDS,
    });
  },
);
