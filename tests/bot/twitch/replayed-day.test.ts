import { eq } from 'drizzle-orm';
import { pino } from 'pino';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Chatter } from '#bot/twitch/api.ts';
import { watchChatters } from '#bot/twitch/channel/chatter-watcher.ts';
import { trackStreams } from '#bot/twitch/channel/stream-tracker.ts';
import { TwitchFault } from '#bot/twitch/twitch-fault.ts';
import type { Database } from '#db/database.ts';
import { watchDays, watchGaps } from '#db/schema/channel.ts';
import { setExcludedLogins } from '#domain/channel/set-excluded-logins.ts';
import { day, hour, minute, second } from '#domain/kernel/time.ts';
import { listWatchedChannels } from '#domain/rule/list-watched-channels.ts';
import { rollUpChannels } from '#domain/watch-time/roll-up-channels.ts';
import { type GeneratedDay, generateDay, type Span } from '#tests/bot/twitch/generated-day.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { addRule, addStreamer, START_MS } from '#tests/support/fixtures.ts';
import { holdTime, passTime } from '#tests/support/passing-time.ts';
import { everySlot } from '#tests/support/slots.ts';
import { watchedRows } from '#tests/support/watched.ts';

/** The replay runs the product's rounds at this interval, instead of twice a second. */
const STEP_MS = 5 * second;
/** The product reads once a minute, at most one step late. */
const INTERVAL_MS = minute + STEP_MS;

const covers = ({ fromMs, untilMs }: Span, atMs: number) => fromMs <= atMs && atMs < untilMs;
const common = (one: Span, other: Span): Span => ({
  fromMs: Math.max(one.fromMs, other.fromMs),
  untilMs: Math.min(one.untilMs, other.untilMs),
});
/** Away from streams nothing happens. */
const aroundOf = ({ fromMs, untilMs }: Span): Span => ({
  fromMs: fromMs - 15 * minute,
  untilMs: untilMs + 15 * minute,
});
const lengthOf = ({ fromMs, untilMs }: Span) => Math.max(0, untilMs - fromMs);
const total = (spans: readonly Span[]) => spans.reduce((sum, span) => sum + lengthOf(span), 0);

/** Twitch on that day, as its API answers at the clock's time. */
function twitchOn(channelId: string, generated: GeneratedDay) {
  const outage = () => generated.outages.find((one) => covers(one, Date.now()));
  const answers = () => {
    const now = outage();
    if (now?.kind === 'permissionLost') throw new TwitchFault('grantDead', 'taken back');
    if (now) throw new TwitchFault('unavailable', 'no answer');
  };
  const others: Chatter[] = [
    { twitchId: channelId, login: 'demo_streamer' },
    { twitchId: '60001', login: 'Nightbot' },
    { twitchId: '60002', login: 'our_demo_bot' },
    { twitchId: '', login: 'demo_nobody' },
  ];
  return {
    async streamsOf() {
      // Only calls with the channel's own grant are refused.
      if (outage()?.kind === 'unavailable') answers();
      const stream = generated.streams.find(
        (one) => covers(one, Date.now()) && !one.flaps.some((flap) => covers(flap, Date.now())),
      );
      const reported = stream && {
        streamId: stream.streamId,
        startedAtMs: stream.fromMs,
        gameName: 'Demo game',
        title: 'Demo',
        login: 'demo_streamer',
        displayName: 'Demo_Streamer',
      };
      return new Map(reported ? [[channelId, reported]] : []);
    },
    async chattersOf(): Promise<{ chatters: Chatter[]; total: number }> {
      answers();
      const nowMs = Date.now();
      const lurker = {
        twitchId: '60003',
        login: nowMs < START_MS + 3 * hour ? 'demo_lurker' : 'demo_renamed',
      };
      const present = generated.viewers.filter(({ visits }) =>
        visits.some(({ listed }) => covers(listed, nowMs)),
      );
      const viewers = present.map(({ twitchId, login, renamed }) => ({
        twitchId,
        login: renamed && renamed.atMs <= nowMs ? renamed.login : login,
      }));
      const chatters = [...others, lurker, ...viewers, ...viewers.slice(0, 3)];
      return { chatters, total: chatters.length };
    },
  };
}

/** The events from EventSub, and when. */
function eventsOf({ streams }: GeneratedDay) {
  const reported = streams.flatMap(({ fromMs, untilMs, flaps, streamId }) => [
    ...[fromMs, ...flaps.map((flap) => flap.untilMs)].map((atMs) => ({
      atMs,
      streamId,
      startedAtMs: fromMs,
    })),
    ...[untilMs, ...flaps.map((flap) => flap.fromMs)].map((atMs) => ({
      atMs,
      streamId: null,
      startedAtMs: 0,
    })),
  ]);
  return reported.sort((one, other) => one.atMs - other.atMs);
}

/** Runs the product through the day: it listens, polls and reads while it runs, and loses its memory when it stops. */
async function replay(db: Database, channelId: string, generated: GeneratedDay) {
  const api = twitchOn(channelId, generated);
  const clock = { now: () => Date.now(), stop: () => {} };
  const log = pino({ level: 'silent' });
  const start = () => ({
    streams: trackStreams({ db, clock, api, lagMs: 180_000, repollMs: minute }),
    viewers: watchChatters({
      db,
      slots: everySlot(db),
      clock,
      log,
      api,
      onFault: async () => {},
      isBot: ({ login }) => ['our_demo_bot', 'nightbot'].includes(login.toLowerCase()),
      maxChannels: 3,
      roundEveryMs: STEP_MS,
      retryAfterMs: 10 * second,
      watched: () => listWatchedChannels(db.read),
      wake: () => {},
    }),
    polledAtMs: 0,
  });
  const events = eventsOf(generated);
  let process: ReturnType<typeof start> | null = null;
  for (let nowMs = START_MS; nowMs < generated.untilMs; nowMs += STEP_MS) {
    if (!generated.streams.some((stream) => covers(aroundOf(stream), nowMs))) continue;
    passTime(nowMs - Date.now());
    const received = events.filter(({ atMs }) => nowMs - STEP_MS < atMs && atMs <= nowMs);
    if (generated.restarts.some((one) => covers(one, nowMs))) {
      process = null;
      continue;
    }
    process ??= start();
    for (const { streamId, startedAtMs } of received)
      if (streamId) await process.streams.online(channelId, streamId, startedAtMs);
      else await process.streams.offline(channelId, null);
    if (nowMs - process.polledAtMs >= minute) {
      process.polledAtMs = nowMs;
      await process.streams.reconcile(await listWatchedChannels(db.read)).catch(() => {});
    }
    await process.viewers.round();
    await process.viewers.settle();
  }
}

async function liveThrough(seed: number, lagMs: number) {
  await using db = await openTestDatabase();
  holdTime(START_MS);
  const streamer = await addStreamer(db);
  await addRule(db, streamer, { rewards: 0 });
  await setExcludedLogins(db, { userId: streamer.userId, logins: ['demo_lurker'] });
  const generated = generateDay(seed, START_MS, lagMs);
  await replay(db, streamer.twitchId, generated);
  await rollUpChannels(db, generated.untilMs + day);
  const rows = await watchedRows(db.read);
  const days = await db.read.select().from(watchDays);
  const gaps = await db.read.select().from(watchGaps).where(eq(watchGaps.channelId, streamer.twitchId));
  return { generated, gaps, days, credited: new Map(rows.map((row) => [row.twitchId, row.seconds])) };
}

/**
 * The part of a stay that was streamed and is not covered by a gap. Short breaks of a stream do not count as breaks.
 */
function countable(span: Span, { streams }: GeneratedDay, gaps: readonly Span[]): number {
  const streamed = streams.map((stream) => common(span, stream));
  const excused = streamed.flatMap((part) => gaps.map((gap) => common(part, gap)));
  return total(streamed) - total(excused);
}

afterEach(() => {
  vi.useRealTimers();
});

describe.each([
  [11, 0],
  [12, 60],
  [13, 120],
  [14, 120],
])('The day of seed %i, with a list that lags by up to %i seconds', (seed, lagSeconds) => {
  test('credits everyone what they watched, and every missing minute has a reason', async () => {
    const lagMs = lagSeconds * second;
    const { generated, gaps, days, credited } = await liveThrough(seed, lagMs);
    let [creditedMs, trueMs] = [0, 0];
    for (const { twitchId, visits } of generated.viewers) {
      const given = (credited.get(twitchId) ?? 0) * second;
      const listed = visits.reduce((sum, visit) => sum + countable(visit.listed, generated, gaps), 0);
      const truth = visits.reduce((sum, visit) => sum + countable(visit, generated, gaps), 0);
      expect(Math.abs(given - listed), `${twitchId}, by the list`).toBeLessThanOrEqual(
        visits.length * INTERVAL_MS,
      );
      expect(Math.abs(given - truth), `${twitchId}, in truth`).toBeLessThanOrEqual(
        visits.length * (INTERVAL_MS + lagMs),
      );
      creditedMs += given;
      trueMs += truth;
    }
    expect(creditedMs / trueMs).toBeLessThan(1.01);
    expect(creditedMs / trueMs).toBeGreaterThan(0.99);

    // Only viewers earned anything, and the days add up to the credited time.
    const known = new Set(generated.viewers.map(({ twitchId }) => twitchId));
    expect([...credited.keys()].filter((twitchId) => !known.has(twitchId))).toEqual([]);
    const rolled = new Map<string, number>();
    for (const row of days) rolled.set(row.twitchId, (rolled.get(row.twitchId) ?? 0) + row.seconds);
    expect(rolled).toEqual(credited);
    expect(new Set(days.map(({ dayMs }) => dayMs)).size).toBe(2);

    // Gaps are only where something happened, and no longer than necessary.
    const reasons = new Set(gaps.map(({ reason }) => reason));
    expect(reasons).toEqual(new Set(['notPolled', 'twitchUnavailable', 'permissionLost']));
    const happened = [
      ...generated.outages,
      ...generated.restarts,
      ...generated.streams.flatMap(({ flaps }) => flaps),
    ];
    for (const gap of gaps) {
      const near = { fromMs: gap.fromMs - second, untilMs: gap.untilMs + second };
      expect(
        happened.some((one) => lengthOf(common(one, near)) > 0),
        'a gap for nothing',
      ).toBe(true);
    }
    expect(total(gaps)).toBeLessThan(total(happened) + gaps.length * 2 * INTERVAL_MS);
  });
});
