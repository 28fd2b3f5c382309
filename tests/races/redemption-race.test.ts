import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, test } from 'vitest';
import { makeRaceStore, type RaceStore, stores } from '#tests/races/race-store.ts';

const PROCESSES = 4;
const VIEWERS = 120;
const REWARDS = 40;

interface Heard {
  /** How many redemptions this process was the first to hear of. */
  first: number;
  /** How many it took to tell Twitch about. */
  leased: number;
}

/** Four processes hear of all redemptions, each in an order of its own, and then take what Twitch is to be told. */
async function race(store: RaceStore): Promise<Heard[]> {
  const children = Array.from({ length: PROCESSES }, (_, place) => {
    const cut = Math.floor((VIEWERS / PROCESSES) * place);
    return spawnChild(store, [...store.viewers.slice(cut), ...store.viewers.slice(0, cut)]);
  });
  await Promise.all(children.map(({ lines }) => lines.next()));
  for (const { child } of children) child.stdin?.write('go\n');
  return Promise.all(
    children.map(async ({ child, lines }) => {
      const ended = once(child, 'exit');
      const { value } = await lines.next();
      expect((await ended)[0]).toBe(0);
      return JSON.parse(String(value)) as Heard;
    }),
  );
}

function spawnChild(
  store: RaceStore,
  viewers: string[],
): { child: ChildProcess; lines: AsyncIterator<string> } {
  const script = new URL('./redeem-in-a-child.ts', import.meta.url).pathname;
  const args = [store.file, store.twitchRewardId, String(store.nowMs), ...viewers];
  const child = spawn(process.execPath, ['--import', 'tsx', script, ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...store.env },
  });
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  return { child, lines: lines[Symbol.asyncIterator]() };
}

const sum = (numbers: number[]): number => numbers.reduce((one, other) => one + other, 0);

test.each(stores)(
  'Four processes on one %s store that hear of 120 redemptions promise 40 rewards and give 80 back',
  { timeout: 120_000 },
  async (kind) => {
    const amounts = { viewers: VIEWERS, rewards: REWARDS, pointsCost: 500 };
    await using store = await makeRaceStore(kind, amounts);
    const heard = await race(store);
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
