import { asc, eq } from 'drizzle-orm';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { isPostgres } from '#db/dialect.ts';
import { rewards } from '#db/schema/reward.ts';
import { qualifications, rules } from '#db/schema/rule.ts';
import { newId } from '#domain/kernel/id.ts';
import { minute } from '#domain/kernel/time.ts';
import { attachRewards } from '#domain/rule/attach-rewards.ts';
import { createRule } from '#domain/rule/create-rule.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { evaluateRules } from '#domain/rule/evaluate-rules.ts';
import { finishOpening } from '#domain/rule/open-rule.ts';
import { pauseRulesOf } from '#domain/rule/pause-rules.ts';
import { tieBreak } from '#domain/rule/qualify.ts';
import { addCrowd, withOthers } from '#tests/support/crowd.ts';
import { openTestDatabase } from '#tests/support/database.ts';
import {
  addBot,
  addPerson,
  addRule,
  addStreamer,
  asset,
  deposit,
  draft,
  START_MS,
} from '#tests/support/fixtures.ts';
import { rewardsOf } from '#tests/support/looking.ts';
import { resumeRules } from '#tests/support/resuming.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { countDue } from '#tests/support/watched.ts';
import { watchFor } from '#tests/support/watching.ts';

setScene();

// A transaction's duration decides the next one's size: here none takes any time.
beforeEach(() => {
  vi.spyOn(performance, 'now').mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
});

type Store = Parameters<typeof createRule>[0];
const dying = (store: Store, after: number) =>
  withOthers(store, async (nth) => {
    if (nth === after) throw new Error('killed');
  });

const asked = () => ({
  requestId: newId(START_MS),
  userId: streamer.userId,
  draft: draft({ watchMinutes: 10, watchScope: 'allTime' }),
});

const listed = async (store: Store, ruleId: string) =>
  store.read
    .select({ twitchId: qualifications.twitchId, atMs: qualifications.qualifiedAtMs })
    .from(qualifications)
    .where(eq(qualifications.ruleId, ruleId))
    .orderBy(asc(qualifications.qualifiedAtMs), asc(qualifications.tieBreak));
const idsOf = (rows: readonly { twitchId: string | null }[]) => rows.map(({ twitchId }) => twitchId);

async function inTurn(store: Store, ruleId: string, crowd: readonly string[]): Promise<string[]> {
  const [rule] = await store.read.select().from(rules).where(eq(rules.id, ruleId));
  const seed = rule?.seed ?? '';
  return [...crowd].sort((one, other) => (tieBreak(seed, one) < tieBreak(seed, other) ? -1 : 1));
}

/** The number of viewers that the next tick evaluates. */
const due = () => countDue(db.read, streamer.twitchId);

async function promisedIn(store: Store, ruleId: string): Promise<(string | null)[]> {
  return idsOf((await rewardsOf(store, ruleId)).filter(({ state }) => state === 'promised'));
}

test('A rule is opened in one transaction, and its viewers are listed and served in others', async () => {
  const crowd = await addCrowd(db, streamer.twitchId, 1100);
  const waiting: number[] = [];
  const store = withOthers(db, async () => {
    waiting.push(await db.read.$count(qualifications));
  });
  const request = asked();
  expect(await createRule(store, request, START_MS)).toEqual({ ok: true, ruleId: request.requestId });
  expect(waiting).toEqual([0, 500, 1100, 1100]);
  const rows = await listed(db, request.requestId);
  expect(idsOf(rows)).toEqual(await inTurn(db, request.requestId, crowd));
  expect(await due()).toBe(0);
});

test('After an interrupted opening, the next sweep or a repeated request does the rest', async () => {
  const crowd = await addCrowd(db, streamer.twitchId, 1100);
  for (const resume of ['sweep', 'submit'] as const) {
    const request = asked();
    await expect(createRule(dying(db, 2), request, START_MS)).rejects.toThrow('killed');
    const order = await inTurn(db, request.requestId, crowd);
    expect(idsOf(await listed(db, request.requestId))).toEqual(order.slice(0, 500));
    const laterMs = START_MS + minute;
    if (resume === 'sweep') expect(await evaluateChannel(db, streamer.twitchId, laterMs)).toBe(600);
    else expect(await createRule(db, request, laterMs)).toMatchObject({ ok: true });
    expect(idsOf(await listed(db, request.requestId))).toEqual(order);
    expect(await createRule(db, request, laterMs)).toEqual({ ok: true, ruleId: request.requestId });
    expect((await listed(db, request.requestId)).length).toBe(1100);
  }
});

test('A resumed rule is evaluated in slices, waiting viewers first, and a sweep finishes an interrupted one', async () => {
  const ruleId = await addRule(db, streamer, { watchMinutes: 10, watchScope: 'allTime', rewards: 60 });
  const at = { ownerId: streamer.userId, reason: 'operator' as const };
  await db.transaction((tx) => pauseRulesOf(tx, at, START_MS));
  const crowd = await addCrowd(db, streamer.twitchId, 1100);
  await expect(resumeRules(dying(db, 2), at, START_MS)).rejects.toThrow('killed');
  const order = await inTurn(db, ruleId, crowd);
  expect(idsOf(await listed(db, ruleId))).toEqual(order.slice(0, 500));
  expect(await promisedIn(db, ruleId)).toEqual([]);
  expect(await evaluateChannel(db, streamer.twitchId, START_MS + minute)).toBe(600);
  expect(await promisedIn(db, ruleId)).toEqual(order.slice(0, 60));
  expect(await due()).toBe(0);
});

test('A rule closed before its viewers were evaluated lists nobody', async () => {
  await addCrowd(db, streamer.twitchId, 3);
  const ruleId = await addRule(db, streamer, { rewards: 0 });
  await db.transaction(async (tx) => {
    await tx.update(rules).set({ state: 'closed', watchScope: 'allTime', watchMinutes: 10 });
  });
  expect(await evaluateRules(db, [ruleId], START_MS)).toBe(0);
  expect(await listed(db, ruleId)).toEqual([]);
});

/** The kills, each after a number of transactions, and whether transactions are slow. */
const interruptions = fc.array(fc.record({ after: fc.integer({ min: 1, max: 12 }), slow: fc.boolean() }), {
  maxLength: 5,
});

test('However often it is killed, everybody is listed once and rewards go to the next in line', async () => {
  const property = fc.asyncProperty(interruptions, fc.integer({ min: 1, max: 40 }), async (kills, amount) => {
    await using store = await openTestDatabase();
    await addBot(store);
    const owner = await addStreamer(store);
    const crowd = await addCrowd(store, owner.twitchId, 700);
    const assets = Array.from({ length: amount }, () => asset());
    await deposit(store, owner, assets, START_MS - 8 * 24 * 60 * minute);
    const request = { ...asked(), userId: owner.userId };
    let clock = 0;
    let nowMs = START_MS;
    for (const { after, slow } of kills) {
      vi.spyOn(performance, 'now').mockImplementation(() => (clock += slow ? 400 : 0));
      await createRule(dying(store, after), request, nowMs).catch(() => {});
      nowMs += minute;
    }
    await createRule(store, request, nowMs);
    const ruleId = request.requestId;
    const order = await inTurn(store, ruleId, crowd);
    expect(idsOf(await listed(store, ruleId))).toEqual(order);
    const kinds = [{ appId: 730, marketHashName: 'Demo case', quantity: amount }];
    expect(await attachRewards(store, { ruleId, userId: owner.userId, kinds }, nowMs)).toMatchObject({
      ok: true,
    });
    await evaluateChannel(store, owner.twitchId, nowMs);
    expect((await promisedIn(store, ruleId)).sort()).toEqual(order.slice(0, amount).sort());
    expect(await store.read.$count(rewards)).toBe(amount);
  });
  await fc.assert(property, {
    numRuns: isPostgres ? 2 : 6,
    seed: 20_261_122,
    interruptAfterTimeLimit: 60_000,
  });
});

test('Finishing the openings of a channel leaves alone those of another', async () => {
  const other = await addStreamer(db);
  const here = await addRule(db, streamer, { rewards: 0 });
  const there = await addRule(db, other, { rewards: 0 });
  await db.transaction((tx) => tx.update(rules).set({ state: 'paused', pauseReason: 'opening' }));
  expect(await finishOpening(db, other.twitchId, START_MS)).toEqual([there]);
  const [waiting] = await db.read.select().from(rules).where(eq(rules.id, here));
  expect(waiting).toMatchObject({ state: 'paused', pauseReason: 'opening' });
});

test('Rules of several channels are evaluated each on its own channel', async () => {
  const other = await addStreamer(db);
  const facts = { watchMinutes: 10, watchScope: 'allTime' } as const;
  const ruleIds = [await addRule(db, streamer, facts), await addRule(db, other, facts)];
  const viewers = [await addPerson(db), await addPerson(db)];
  for (const [place, { twitchId }] of [streamer, other].entries())
    await watchFor(db, twitchId, [[viewers[place]!.twitchId, 600]]);
  expect(await evaluateRules(db, ruleIds, START_MS)).toBe(2);
  for (const [place, ruleId] of ruleIds.entries())
    expect(await rewardsOf(db, ruleId)).toMatchObject([
      { state: 'promised', twitchId: viewers[place]!.twitchId },
    ]);
});
