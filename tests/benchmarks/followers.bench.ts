// The list of a channel with 500,000 followers is read while its 20,000 chatters are read every minute, with one grant,
// whose bucket refills 10 points a second. Time is simulated: only the tracker's own pauses and Twitch's answers make it
// pass, and everything between the readers and `fetch` is the product's, with a SQLite file. After an hour without
// followers read, it gives up. `largestDelayMs` is the time by which the latest reading of chatters was late; `calls`
// are those for followers.
import { rmSync } from 'node:fs';
import { mock } from 'node:test';
import { setImmediate as othersTurn } from 'node:timers/promises';
import { pino } from 'pino';
import { twitchApi } from '#bot/twitch/api.ts';
import { readFollows } from '#bot/twitch/channel/follow-reader.ts';
import type { DatabaseAuthProvider } from '#bot/twitch/grants/database-auth-provider.ts';
import { openSqlite } from '#db/database.ts';
import { listLastFollowLists } from '#domain/channel/list-last-follows.ts';
import { hour, minute, second } from '#domain/kernel/time.ts';
import { listWatchedChannels } from '#domain/rule/list-watched-channels.ts';
import { type BenchOptions, makeBenchFile } from '#tests/benchmarks/store.ts';
import { addRule, addStreamer, START_MS } from '#tests/support/fixtures.ts';

const FOLLOWERS = 500_000;
const CHATTERS = 20_000;
const LATENCY_MS = 80;
const STEP_MS = 20;
const CAPACITY = 800;
const POINTS_PER_MS = 10 / second;

/** Answers as Twitch does, after a while of simulated time. */
function simulatedTwitch() {
  let points = CAPACITY;
  let atMs = Date.now();
  const calls = { followers: 0, chatters: 0, refused: 0 };
  const page = (url: URL, size: number, row: (place: number) => object) => {
    const from = Number(url.searchParams.get('after') ?? 0);
    const until = Math.min(size, from + Number(url.searchParams.get('first')));
    return {
      total: size,
      data: Array.from({ length: until - from }, (_, place) => row(from + place)),
      pagination: until < size ? { cursor: String(until) } : {},
    };
  };
  const people = (place: number) => ({
    user_id: String(10_000_000 + place),
    user_login: `demo_${place}`,
    user_name: 'Demo',
  });
  const bodyOf = (url: URL) => {
    if (url.pathname.endsWith('/chat/chatters')) {
      calls.chatters += 1;
      return page(url, CHATTERS, people);
    }
    calls.followers += 1;
    return page(url, FOLLOWERS, (place) => ({
      ...people(place),
      followed_at: new Date(START_MS).toISOString(),
    }));
  };
  const fetch = async (input: string | URL | Request): Promise<Response> => {
    const url = new URL(input instanceof Request ? input.url : input);
    await new Promise((resolve) => setTimeout(resolve, LATENCY_MS));
    const nowMs = Date.now();
    points = Math.min(CAPACITY, points + (nowMs - atMs) * POINTS_PER_MS);
    atMs = nowMs;
    const empty = points < 1;
    if (empty) calls.refused += 1;
    else points -= 1;
    const fullAtMs = nowMs + (CAPACITY - points) / POINTS_PER_MS;
    const headers = {
      'Content-Type': 'application/json',
      'Ratelimit-Limit': String(CAPACITY),
      'Ratelimit-Remaining': String(Math.floor(points)),
      'Ratelimit-Reset': String(Math.ceil(fullAtMs / second)),
    };
    return new Response(JSON.stringify(empty ? {} : bodyOf(url)), { status: empty ? 429 : 200, headers });
  };
  return { fetch, calls };
}

/** One grant that is always valid. */
const oneGrant = (userId: string) => {
  const token = {
    accessToken: 'demo',
    refreshToken: null,
    scope: [],
    expiresIn: null,
    obtainmentTimestamp: 0,
    userId,
  };
  const provider = {
    clientId: 'demo',
    getCurrentScopesForUser: () => [],
    getAccessTokenForUser: async () => token,
    getAnyAccessToken: async () => token,
    getAppAccessToken: async () => token,
  };
  return provider as unknown as DatabaseAuthProvider;
};

export async function run(options: BenchOptions) {
  const { file, folder } = await makeBenchFile(options);
  const db = await openSqlite(file);
  const streamer = await addStreamer(db);
  await addRule(db, streamer, { rewards: 0, watchMinutes: null, followDays: 30 });
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: START_MS });
  const { fetch, calls } = simulatedTwitch();
  mock.method(globalThis, 'fetch', fetch);
  const log = pino({ level: process.env.BENCH_LOG_LEVEL ?? 'silent' });
  const clock = { now: () => Date.now(), stop: () => {} };
  const api = twitchApi(oneGrant(streamer.twitchId), log, () => {});
  const follows = readFollows({
    db,
    clock,
    log,
    api,
    onFault: async () => {},
    retryAfterMs: 10 * second,
    wake: () => {},
  });
  const delays: number[] = [];
  let reading: Promise<void> | null = null;
  const readChatters = async (dueAtMs: number) => {
    await api.chattersOf(streamer.twitchId);
    delays.push(Date.now() - dueAtMs);
  };
  const signal = new AbortController().signal;
  const startedAtMs = Date.now();
  let minuteAtMs = startedAtMs;
  let followersListed: number | null = null;
  while (followersListed === null && Date.now() - startedAtMs < hour) {
    if (Date.now() >= minuteAtMs && reading === null) {
      reading = readChatters(minuteAtMs).finally(() => (reading = null));
      minuteAtMs += minute;
    }
    if ((Date.now() - startedAtMs) % (5 * second) < STEP_MS) {
      const [channel] = await listWatchedChannels(db.read);
      const [last] = await listLastFollowLists(db.read, channel ? [channel.id] : []);
      followersListed = last?.followsListed ?? null;
      if (channel && followersListed === null) await follows.round([channel], signal);
    }
    mock.timers.tick(STEP_MS);
    // The steps between two timers of a call, and what it writes.
    for (let turn = 0; turn < 8; turn += 1) await othersTurn();
  }
  const tookMs = Date.now() - startedAtMs;
  mock.timers.reset();
  mock.restoreAll();
  await db.close();
  rmSync(folder, { recursive: true });
  return {
    followersListed: followersListed ?? 0,
    minutes: delays.length,
    largestDelayMs: Math.max(...delays),
    calls: calls.followers,
    chatterCalls: calls.chatters,
    refusedCalls: calls.refused,
    simulatedSeconds: Math.round(tookMs / second),
  };
}
