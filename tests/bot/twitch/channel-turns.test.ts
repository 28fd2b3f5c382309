import { expect, test } from 'vitest';
import { createLog } from '#bot/log.ts';
import { channelTurns } from '#bot/twitch/channel/channel-turns.ts';
import { readFollows } from '#bot/twitch/channel/follow-reader.ts';
import { readSubscribers } from '#bot/twitch/channel/subscriber-reader.ts';
import { minute } from '#domain/kernel/time.ts';
import type { RuleDraft } from '#domain/rule/create-rule.ts';
import { listWatchedChannels } from '#domain/rule/list-watched-channels.ts';
import { until } from '#tests/bot/twitch/stage.ts';
import { addPerson, addRule, addStreamer, START_MS } from '#tests/support/fixtures.ts';
import { db, setScene } from '#tests/support/scene.ts';
import { watchFor } from '#tests/support/watching.ts';

setScene();

/** More channels than may be read at once. */
const CROWD = 12;
const followers = { watchMinutes: null, followDays: 1, rewards: 0 } as const;

async function addChannels(amount: number, rule: Partial<RuleDraft> & { rewards: number }) {
  const channelIds: string[] = [];
  for (let n = 0; n < amount; n += 1) {
    const owner = await addStreamer(db);
    await addRule(db, owner, rule);
    channelIds.push(owner.twitchId);
  }
  return channelIds;
}

/** A reader of lists with what it needs; `wake` starts the next round, as their worker does. */
function given<
  Reader extends { round(channels: never, signal: AbortSignal): Promise<unknown>; settle(): Promise<void> },
>(
  read: (deps: {
    db: typeof db;
    clock: { now(): number; stop(): void };
    log: ReturnType<typeof createLog>;
    onFault(): Promise<void>;
    retryAfterMs: number;
    wake(): void;
  }) => Reader,
) {
  const stopping = new AbortController();
  const { signal } = stopping;
  const round = async () => {
    if (!signal.aborted) await reader.round((await listWatchedChannels(db.read)) as never, signal);
  };
  const reader = read({
    db,
    clock: { now: () => START_MS, stop: () => {} },
    log: createLog('silent'),
    onFault: async () => {},
    retryAfterMs: 1,
    wake: () => void round(),
  });
  return {
    round,
    /** Waits for an answer that does not come while the test runs. */
    silence: () => new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve())),
    async stop() {
      stopping.abort();
      await reader.settle();
    },
  };
}

test('A channel whose list of subscribers does not come keeps no other waiting', async () => {
  const rule = { watchMinutes: null, subscriberTier: 1, rewards: 0 } as const;
  const [slow, ...others] = await addChannels(3, rule);
  const read: string[] = [];
  const { round, silence, stop } = given((deps) =>
    readSubscribers({
      ...deps,
      api: {
        subscribersOf: async (channelId) => {
          if (channelId === slow) await silence();
          else read.push(channelId);
          return { subscribers: [], total: 0 };
        },
        subscriberTier: async () => null,
      },
    }),
  );
  void round();
  await until(
    () => read.toSorted(),
    (ids) => ids.join() === others.toSorted().join(),
    5000,
  );
  await stop();
});

test('Channels whose lists cannot be recorded are not read again at once, and keep no other waiting', async () => {
  const rule = { watchMinutes: null, subscriberTier: 1, rewards: 0 } as const;
  const channelIds = await addChannels(CROWD, rule);
  const broken = Object.create(db, {
    transaction: { value: () => Promise.reject(new Error('The disk is full')) },
  });
  const read: string[] = [];
  const { round, stop } = given((deps) =>
    readSubscribers({
      ...deps,
      db: broken,
      retryAfterMs: minute,
      api: {
        subscribersOf: async (channelId) => {
          read.push(channelId);
          return { subscribers: [], total: 0 };
        },
        subscriberTier: async () => null,
      },
    }),
  );
  await round();
  await until(
    () => new Set(read),
    ({ size }) => size === CROWD,
    5000,
  ).finally(stop);
  expect(read.toSorted()).toEqual(channelIds.toSorted());
});

test('Rules that make candidates of all accounts keep nobody waiting who meets something else', async () => {
  const strangers = await addChannels(CROWD, followers);
  const [watched = ''] = await addChannels(1, { ...followers, watchMinutes: 10 });
  const viewer = await addPerson(db);
  await watchFor(db, watched, [[viewer.twitchId, 600]]);
  const asked: string[] = [];
  const { round, silence, stop } = given((deps) =>
    readFollows({
      ...deps,
      api: {
        followerPage: async () => ({ followers: [], cursor: null, total: 0 }),
        async followedAtMs(channelId) {
          asked.push(channelId);
          if (strangers.includes(channelId)) await silence();
          return null;
        },
      },
    }),
  );
  await round();
  await until(
    () => asked,
    (channelIds) => channelIds.includes(watched),
    5000,
  );
  // One channel at a time has the turn of asking about all accounts.
  expect(asked.filter((channelId) => strangers.includes(channelId))).toHaveLength(1);
  await stop();
});

test('The channels that have waited longest come first, as places become free', async () => {
  const started: string[] = [];
  const turns = channelTurns({
    places: 2,
    work: 'a test',
    log: createLog('silent'),
    retryAfterMs: minute,
    wake: () => start(),
  });
  const waited = { new: Number.NEGATIVE_INFINITY, long: -20, short: -10, later: 5 };
  const start = () =>
    turns.start(
      Object.entries(waited)
        .filter(([channelId]) => !started.includes(channelId))
        .map(([channelId, inMs]) => ({ channelId, inMs }))
        .reverse(),
      async (channelId) => {
        started.push(channelId);
        if (channelId === 'long') throw new Error('Twitch is down');
      },
    );
  start();
  expect(started).toEqual(['new', 'long']);
  await until(
    () => started,
    ({ length }) => length > 2,
  );
  expect(started).toEqual(['new', 'long', 'short']);
});

test('A channel whose work failed pauses, each time longer up to a limit, and keeps no place meanwhile', async () => {
  let nowMs = 1000;
  let isDown = true;
  const started: string[] = [];
  const turns = channelTurns({
    places: 1,
    work: 'a test',
    log: createLog('silent'),
    retryAfterMs: minute,
    now: () => nowMs,
    wake: () => {},
  });
  const all = [
    { channelId: 'broken', inMs: -20 },
    { channelId: 'sound', inMs: -10 },
  ];
  /** Returns the channel that got the place, and the time until the next one is due. */
  const run = async () => {
    const dueMs = turns.start(all, async (channelId) => {
      started.push(channelId);
      if (channelId === 'broken' && isDown) throw new Error('The disk is full');
    });
    await turns.settle();
    return [started.pop(), dueMs];
  };
  expect(await run()).toEqual(['broken', -10]);
  expect(await run()).toEqual(['sound', minute]);
  const pauses: number[] = [];
  for (let failures = 0; failures < 7; failures += 1) {
    const [, dueMs] = await run();
    pauses.push(Number(dueMs) / minute);
    // The channel that has waited longer since comes first.
    nowMs += Number(dueMs) + 15;
    expect(await run()).toEqual(['broken', -10]);
  }
  expect(pauses).toEqual([1, 2, 4, 8, 16, 30, 30]);
  isDown = false;
  nowMs += 31 * minute;
  expect(await run()).toEqual(['broken', -10]);
  expect(await run()).toEqual(['broken', -10]);
});
