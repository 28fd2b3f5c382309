import { asc, isNotNull } from 'drizzle-orm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Lock, Tx } from '#db/database.ts';
import { isPostgres } from '#db/dialect.ts';
import { draws } from '#db/schema/draw.ts';
import { events, mails } from '#db/schema/outbox.ts';
import { rewards } from '#db/schema/reward.ts';
import { qualifications, type RuleType, rules } from '#db/schema/rule.ts';
import { type ChannelTx, channelLock } from '#domain/kernel/locks.ts';
import { minute } from '#domain/kernel/time.ts';
import { advanceRewards } from '#domain/reward/advance-reward.ts';
import { serveWaiting } from '#domain/reward/serve-waiting.ts';
import { enlist, tieBreak } from '#domain/rule/qualify.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { addBot, addPerson, addRule, addStreamer, START_MS } from '#tests/support/fixtures.ts';
import { rewardsOf } from '#tests/support/looking.ts';
import { addRandomRule } from '#tests/support/random-rule.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';

setScene();

const NOW_MS = START_MS + 60 * minute;
const VIEWERS = 6;

class Undone<T> extends Error {
  readonly value: T;
  constructor(value: T) {
    super('undone');
    this.value = value;
  }
}

/** Runs work in a transaction that is rolled back, so that the same world can be served in another way. */
async function undone<T>(
  store: TestDatabase,
  lock: Lock<ChannelTx>,
  act: (tx: ChannelTx) => Promise<T>,
): Promise<T> {
  const failed = await store
    .transaction(
      async (tx) => {
        throw new Undone(await act(tx));
      },
      { lock },
    )
    .catch((error: unknown) => error);
  if (failed instanceof Undone) return failed.value as T;
  throw failed;
}

/** Everything that serving writes, except newly created ids. */
const checkAround = async (tx: Tx) => ({
  rewards: await tx.select().from(rewards).orderBy(asc(rewards.id)),
  lists: await tx.select().from(qualifications).orderBy(asc(qualifications.tieBreak)),
  draws: await tx.select().from(draws).orderBy(asc(draws.ruleId), asc(draws.number)),
  mails: (await tx.select().from(mails))
    .map(({ recipient, values }) => JSON.stringify([recipient, values]))
    .sort(),
  events: (await tx.select().from(events))
    .map(({ userId, kind, subjectId }) => [userId, kind, subjectId].join())
    .sort(),
});

const ruleOf = fc.record({
  type: fc.constantFrom<RuleType>('one', 'random'),
  rewards: fc.integer({ min: 1, max: 4 }),
  others: fc.integer({ min: 0, max: 3 }),
  /** Minutes at which each viewer met it; null if not yet. */
  metAt: fc.array(fc.option(fc.integer({ min: 0, max: 2 })), { minLength: VIEWERS, maxLength: VIEWERS }),
});

test('Viewers waiting on several rules get the same promises in one set as one by one', async () => {
  const property = fc.asyncProperty(fc.array(ruleOf, { minLength: 1, maxLength: 3 }), async (asked) => {
    await using store = await openTestDatabase();
    await addBot(store);
    const owner = await addStreamer(store);
    const viewers = await Promise.all(Array.from({ length: VIEWERS }, () => addPerson(store)));
    const newcomers: { ruleId: string; twitchId: string; tieBreak: string; at: number }[] = [];
    for (const { type, rewards: amount, others, metAt } of asked) {
      const pool = { 'Demo case': amount, 'Demo knife': others };
      const ruleId =
        type === 'random'
          ? await addRandomRule(store, owner, pool)
          : await addRule(store, owner, { watchMinutes: 10, rewards: amount });
      const rule = (await store.read.select().from(rules)).find(({ id }) => id === ruleId);
      for (const [place, at] of metAt.entries()) {
        const twitchId = viewers[place]?.twitchId ?? '';
        if (at !== null)
          newcomers.push({ ruleId, twitchId, tieBreak: tieBreak(rule?.seed ?? '', twitchId), at });
      }
    }
    const inOrder = newcomers.sort((a, b) => a.at - b.at || (a.tieBreak < b.tieBreak ? -1 : 1));
    const write = (tx: ChannelTx, { at, ...newcomer }: (typeof newcomers)[number]) =>
      enlist(tx, [newcomer], START_MS + at * minute);
    const inSets = await undone(store, channelLock(owner.twitchId), async (tx) => {
      for (const newcomer of inOrder) await write(tx, newcomer);
      const ruleIds = [...new Set(newcomers.map(({ ruleId }) => ruleId))];
      expect((await serveWaiting(tx, ruleIds, NOW_MS)).promised).toBe(
        await tx.$count(rewards, isNotNull(rewards.twitchId)),
      );
      return checkAround(tx);
    });
    const oneByOne = await undone(store, channelLock(owner.twitchId), async (tx) => {
      for (const newcomer of inOrder) {
        await write(tx, newcomer);
        await serveWaiting(tx, [newcomer.ruleId], NOW_MS);
      }
      return checkAround(tx);
    });
    expect(inSets).toEqual(oneByOne);
  });
  await fc.assert(property, {
    numRuns: isPostgres ? 3 : 12,
    seed: 20_261_122,
    interruptAfterTimeLimit: 60_000,
  });
});

test('Of a set of rewards only those still in their expected state change', async () => {
  const viewers = await Promise.all([1, 2, 3].map(() => addPerson(db)));
  const ruleId = await addRule(db, streamer, { watchMinutes: 10, rewards: 3 });
  const [first, second, third] = await rewardsOf(db, ruleId);
  const read = [first!, second!, third!].map(({ id, state, userId }) => ({
    id,
    state,
    userId,
    ownerId: streamer.userId,
  }));
  const patchOf = (place: number) => ({
    twitchId: viewers[place]!.twitchId,
    userId: viewers[place]!.userId,
    promisedAtMs: NOW_MS,
    claimUntilMs: NOW_MS + minute,
  });
  const promise = (places: number[]) =>
    db.transaction(
      (tx) =>
        advanceRewards(
          tx,
          'promised',
          places.map((place) => ({ reward: read[place]!, patch: patchOf(place) })),
          NOW_MS,
        ),
      { lock: channelLock(streamer.twitchId) },
    );
  expect([...(await promise([1]))]).toEqual([second!.id]);
  expect([...(await promise([0, 1, 2]))].sort()).toEqual([first!.id, third!.id].sort());
  const wrong = await db.transaction(
    (tx) => advanceRewards(tx, 'delivered', [{ reward: read[0]!, patch: { claimedAtMs: NOW_MS } }], NOW_MS),
    { lock: channelLock(streamer.twitchId) },
  );
  expect(wrong.size).toBe(0);
});

test('A second promise of a rule to one viewer rolls the whole set back', async () => {
  const [viewer, other] = [await addPerson(db), await addPerson(db)];
  const ruleId = await addRule(db, streamer, { watchMinutes: 10, rewards: 2 });
  const read = (await rewardsOf(db, ruleId)).map(({ id, state }) => ({
    id,
    state,
    userId: null,
    ownerId: streamer.userId,
  }));
  const patchOf = ({ twitchId, userId }: typeof viewer) => ({
    twitchId,
    userId,
    promisedAtMs: NOW_MS,
    claimUntilMs: NOW_MS + minute,
  });
  const promise = (people: (typeof viewer)[]) =>
    db.transaction(
      (tx) =>
        advanceRewards(
          tx,
          'promised',
          people.map((person, place) => ({ reward: read[place]!, patch: patchOf(person) })),
          NOW_MS,
        ),
      { lock: channelLock(streamer.twitchId) },
    );
  await expect(promise([viewer, viewer])).rejects.toThrow();
  expect((await rewardsOf(db, ruleId)).map(({ state }) => state)).toEqual(['free', 'free']);
  expect((await promise([viewer, other])).size).toBe(2);
});
