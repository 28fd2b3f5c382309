import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { qualifications, rules, watchBaselines } from '#db/schema/rule.ts';
import { newId } from '#domain/kernel/id.ts';
import { hour } from '#domain/kernel/time.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { finishAllOpenings } from '#domain/rule/finish-all-openings.ts';
import { succeedRule } from '#domain/rule/succeed-rule.ts';
import { addCrowd, withOthers } from '#tests/support/crowd.ts';
import { addPerson, addRule, START_MS } from '#tests/support/fixtures.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { watchFor } from '#tests/support/watching.ts';

setScene();

// A transaction's duration decides the next one's size: here none takes any time.
beforeEach(() => {
  vi.spyOn(performance, 'now').mockReturnValue(0);
});
afterEach(() => {
  vi.restoreAllMocks();
});

const CROWD = 5100;

test('On a large channel a harder rule opens once everything is carried over, also after a crash', async () => {
  const channelId = streamer.twitchId;
  const [won, short, long] = [await addPerson(db), await addPerson(db), await addPerson(db)];
  await addCrowd(db, channelId, CROWD);
  const ruleId = await addRule(db, streamer, { watchMinutes: 20, rewards: 1 });
  const watch = (minutes: number, ...people: { twitchId: string }[]) =>
    watchFor(
      db,
      channelId,
      people.map(({ twitchId }) => [twitchId, minutes * 60] as const),
    );
  await watch(20, won);
  await evaluateChannel(db, channelId, START_MS);
  await watch(30, short);
  await watch(40, long);
  await evaluateChannel(db, channelId, START_MS + 1);
  const [rule] = await db.read.select().from(rules).where(eq(rules.id, ruleId));
  const requestId = newId(START_MS);
  const wanted = { ...rule!, watchMinutes: 35 };
  const killed = withOthers(db, async () => {
    throw new Error('killed');
  });
  const request = { requestId, ruleId, userId: streamer.userId, wanted, again: false };
  await expect(succeedRule(killed, request, START_MS + hour)).rejects.toThrow('killed');
  const stateOf = async (id: string) => {
    const [found] = await db.read.select().from(rules).where(eq(rules.id, id));
    return [found?.state, found?.pauseReason];
  };
  expect([await stateOf(ruleId), await stateOf(requestId)]).toEqual([
    ['closed', null],
    ['paused', 'opening'],
  ]);
  await finishAllOpenings(db, START_MS + hour);
  expect(await stateOf(requestId)).toEqual(['open', null]);
  expect(await db.read.$count(watchBaselines, eq(watchBaselines.ruleId, requestId))).toBe(CROWD);
  const places = await db.read.select().from(qualifications).where(eq(qualifications.ruleId, requestId));
  const waiting = places.filter(({ promisedAtMs }) => promisedAtMs === null);
  expect(waiting.map(({ twitchId }) => twitchId)).toEqual([long.twitchId]);
});

test('It also opens when most viewers came after the rule whose place it takes, and have no baseline', async () => {
  const channelId = streamer.twitchId;
  // Each transaction takes as long as it should, so that slices do not grow.
  let atMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => {
    atMs += 50;
    return atMs;
  });
  const won = await addPerson(db);
  const ruleId = await addRule(db, streamer, { watchMinutes: 20, rewards: 1 });
  await watchFor(db, channelId, [[won.twitchId, 20 * 60]]);
  await evaluateChannel(db, channelId, START_MS);
  await addCrowd(db, channelId, CROWD);
  const [rule] = await db.read.select().from(rules).where(eq(rules.id, ruleId));
  const requestId = newId(START_MS);
  const request = { requestId, ruleId, userId: streamer.userId, wanted: { ...rule!, watchMinutes: 35 } };
  const bounded = withOthers(db, async (nth) => {
    if (nth > 20) throw new Error('it does not end');
  });
  expect(await succeedRule(bounded, { ...request, again: false }, START_MS + hour)).toMatchObject({
    ok: true,
  });
  const [successor] = await db.read.select().from(rules).where(eq(rules.id, requestId));
  expect(successor?.state).toBe('open');
});
