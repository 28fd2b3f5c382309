import { asc, eq, sql } from 'drizzle-orm';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Database } from '#db/database.ts';
import { isPostgres, rowsOf } from '#db/dialect.ts';
import { watchTimes } from '#db/schema/channel.ts';
import { rules, type WatchScope, watchBaselines } from '#db/schema/rule.ts';
import { newId } from '#domain/kernel/id.ts';
import { minute } from '#domain/kernel/time.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { createRule } from '#domain/rule/create-rule.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { finishAllOpenings } from '#domain/rule/finish-all-openings.ts';
import { getRule } from '#domain/rule/list-rules.ts';
import { listProgress } from '#domain/view/list-progress.ts';
import { withOthers } from '#tests/support/crowd.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import { addBot, addPerson, addStreamer, draft, type Person, START_MS } from '#tests/support/fixtures.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { goLive, readChatters } from '#tests/support/stream.ts';

setScene();

// The duration of a transaction decides the size of the next one; here none takes any time.
beforeEach(() => {
  vi.spyOn(performance, 'now').mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** More than one transaction takes down. */
const VIEWERS = 6000;
const NEEDED_SECONDS = 600;
const NO_CHECK = 2 ** 52;

/** Some have watched less than a rule asks for, some more. */
const viewers = Array.from({ length: VIEWERS }, (_, place) => ({
  twitchId: String(9_000_000 + place),
  seconds: (place * 7) % 1200,
}));

async function letWatch(store: Database, channelId: string): Promise<void> {
  const rows = rowsOf(
    viewers.map(({ twitchId, seconds }) => [channelId, twitchId, seconds, NO_CHECK, 0, 0, null, null]),
    {
      channel_id: 'text',
      twitch_id: 'text',
      seconds: 'bigint',
      next_check: 'bigint',
      rolled: 'bigint',
      counted: 'bigint',
      since: 'bigint',
      cross: 'bigint',
    },
    'watched',
  );
  await store.transaction(async (tx) => {
    await tx.insert(watchTimes).select(sql`select * from ${rows} where true` as never);
  });
}

const asked = (owner: Person, watchScope: WatchScope) => ({
  requestId: newId(START_MS),
  userId: owner.userId,
  draft: draft({ watchMinutes: NEEDED_SECONDS / 60, watchScope }),
});

const dying = (store: Database, after: number) =>
  withOthers(store, async (nth) => {
    if (nth === after) throw new Error('killed');
  });

const baselines = (store: Database, ruleId: string) =>
  store.read
    .select({ twitchId: watchBaselines.twitchId, seconds: watchBaselines.seconds })
    .from(watchBaselines)
    .where(eq(watchBaselines.ruleId, ruleId))
    .orderBy(asc(watchBaselines.twitchId));

const standing = async (ruleId: string, owner: Person = streamer) => {
  const rule = await getRule(db, { ruleId, ownerId: owner.userId });
  return [rule?.state, rule?.pauseReason];
};

test('A rule on a large channel is paused while the watch time before it is taken down, and then opens', async () => {
  await letWatch(db, streamer.twitchId);
  const request = asked(streamer, 'sinceRule');
  const seen: unknown[] = [];
  const store = withOthers(db, async () => {
    const taken = await db.read.$count(watchBaselines);
    seen.push([taken, ...(await standing(request.requestId))]);
  });
  expect(await createRule(store, request, START_MS)).toMatchObject({ ok: true });
  expect(seen.slice(0, 2)).toEqual([
    [5000, 'paused', 'opening'],
    [VIEWERS, 'open', null],
  ]);
  expect(await baselines(db, request.requestId)).toEqual(viewers);
});

test('A viewer is not shown a rule before it is open', async () => {
  const viewer = await addPerson(db);
  await letWatch(db, streamer.twitchId);
  await goLive(db, streamer.twitchId);
  await createRule(db, asked(streamer, 'sinceRule'), START_MS);
  await readChatters(db, streamer.twitchId, [viewer.twitchId], START_MS + minute);
  const request = asked(streamer, 'sinceRule');
  const shown = async () => (await listProgress(db, { userId: viewer.userId }, START_MS)).rows.length;
  expect(await shown()).toBe(1);
  await expect(createRule(dying(db, 1), request, START_MS)).rejects.toThrow('killed');
  expect(await shown()).toBe(1);
  await finishAllOpenings(db, START_MS);
  expect(await shown()).toBe(2);
});

test('A rule that was closed while it was being opened stays closed', async () => {
  await letWatch(db, streamer.twitchId);
  const request = asked(streamer, 'sinceRule');
  const store = withOthers(db, async (nth) => {
    if (nth === 1) await closeRule(db, { ruleId: request.requestId, userId: streamer.userId }, START_MS);
  });
  await createRule(store, request, START_MS);
  expect((await standing(request.requestId))[0]).toBe('closed');
});

const successors = ['submit', 'tick', 'sweep', 'round'] as const;
/**
 * The sequel of a kill: who goes on, and after how many transactions they are killed too; 0 if they are not.
 */
const sequel = fc.record({
  who: fc.constantFrom(...successors),
  after: fc.integer({ min: 0, max: 6 }),
  slow: fc.boolean(),
});

test('However often it is killed, everybody’s watch time at its beginning is the baseline', async () => {
  const property = fc.asyncProperty(
    fc.constantFrom<WatchScope>('sinceRule', 'allTime'),
    fc.array(sequel, { minLength: 1, maxLength: 4 }),
    async (watchScope, sequels) => {
      await using store = await openTestDatabase();
      await addBot(store);
      const owner = await addStreamer(store);
      const { twitchId: channelId } = owner;
      await letWatch(store, channelId);
      await goLive(store, channelId);
      await readChatters(store, channelId, [], START_MS);
      const request = asked(owner, watchScope);
      const present = viewers.map(({ twitchId }) => twitchId).filter((_, place) => place % 3 === 0);
      let nowMs = START_MS;
      let clock = 0;
      const carryOn: Record<(typeof successors)[number], (by: Database) => Promise<unknown>> = {
        submit: (by) => createRule(by, request, nowMs),
        tick: (by) => readChatters(by, channelId, present, nowMs),
        sweep: (by) => evaluateChannel(by, channelId, nowMs),
        round: (by) => finishAllOpenings(by, nowMs),
      };
      await createRule(dying(store, 1), request, nowMs).catch(() => {});
      for (const { who, after, slow } of sequels) {
        nowMs += minute;
        vi.spyOn(performance, 'now').mockImplementation(() => (clock += slow ? 400 : 0));
        await carryOn[who](after > 0 ? dying(store, after) : store).catch(() => {});
      }
      await createRule(store, request, nowMs);
      const [rule] = await store.read.select().from(rules);
      expect(rule?.state).toBe('open');
      const sinceRule = watchScope === 'sinceRule';
      expect(await baselines(store, request.requestId)).toEqual(sinceRule ? viewers : []);
      const total = new Map(viewers.map(({ twitchId, seconds }) => [twitchId, seconds]));
      const rows = await store.read.select().from(watchTimes);
      for (const { twitchId, seconds, nextCheckSeconds } of rows) {
        const before = total.get(twitchId) ?? 0;
        const reached = NEEDED_SECONDS + (sinceRule ? before : 0);
        if (seconds < reached) expect(nextCheckSeconds).toBe(reached);
        else expect(nextCheckSeconds).toBe(NO_CHECK);
      }
    },
  );
  await fc.assert(property, {
    numRuns: isPostgres ? 2 : 6,
    seed: 20_261_122,
    interruptAfterTimeLimit: 60_000,
  });
});
