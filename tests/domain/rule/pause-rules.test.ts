import { expect, test } from 'vitest';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { hour, minute } from '#domain/kernel/time.ts';
import { expirePromises } from '#domain/reward/expire-promises.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { getRule } from '#domain/rule/list-rules.ts';
import { pauseRulesOf, resumeRulesOf } from '#domain/rule/pause-rules.ts';
import { addPerson, addRule, type Person, START_MS } from '#tests/support/fixtures.ts';
import { rewardsOf } from '#tests/support/looking.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { resumeRules } from '#tests/support/resuming.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { goLive, readChatters } from '#tests/support/stream.ts';
import { watchedRows } from '#tests/support/watched.ts';

setScene();

type Reason = Parameters<typeof pauseRulesOf>[1]['reason'];
const pause = (reason: Reason = 'lostPermission') =>
  db.transaction((tx) => pauseRulesOf(tx, { ownerId: streamer.userId, reason }, START_MS));
const resume = (nowMs: number, reason: Reason = 'lostPermission') =>
  resumeRules(db, { ownerId: streamer.userId, reason }, nowMs);
const read = (viewers: Person[], tick: number) =>
  readChatters(
    db,
    streamer.twitchId,
    viewers.map(({ twitchId }) => twitchId),
    START_MS + tick * minute,
  );
const standing = async (ruleId: string) => {
  const rule = await getRule(db, { ruleId, ownerId: streamer.userId });
  return [rule?.state, rule?.pauseReason];
};

test('A paused rule promises nothing; existing promises stay', async () => {
  const [first, second] = [await addPerson(db), await addPerson(db)];
  const { ruleId, rewards } = await promiseTo(db, streamer, [first], { rewards: 2 });
  await pause();
  await goLive(db, streamer.twitchId);
  for (let tick = 1; tick <= 10; tick++) expect((await read([second], tick)).qualified).toBe(0);
  expect((await rewardsOf(db, ruleId)).map(({ state }) => state)).toEqual(['promised', 'free']);
  const claimed = await claimReward(db, { rewardId: rewards[0]!.id, userId: first.userId }, START_MS);
  expect(claimed.ok).toBe(true);
});

test('A reward that becomes free while its rule is paused is promised when it resumes, not before', async () => {
  const [first, second] = [await addPerson(db), await addPerson(db)];
  const { ruleId } = await promiseTo(db, streamer, [first, second], { rewards: 1 });
  await pause();
  const lateMs = START_MS + 73 * hour;
  expect(await expirePromises(db, lateMs, Date.now())).toBe(1);
  expect((await rewardsOf(db, ruleId)).map(({ state }) => state)).toEqual(['recalled', 'free']);
  await resume(lateMs);
  const rewards = await rewardsOf(db, ruleId);
  expect(rewards.map(({ state }) => state)).toEqual(['recalled', 'promised']);
  // A draw decides which of the two is first, because they met the rule at the same time.
  expect(new Set(rewards.map(({ userId }) => userId))).toEqual(new Set([first.userId, second.userId]));
});

test('A threshold that is reached after a pause was known during it: nothing is written for viewers at its end', async () => {
  const viewer = await addPerson(db);
  await addRule(db, streamer, { watchMinutes: 3 });
  await addRule(db, streamer, { watchMinutes: 5 });
  await goLive(db, streamer.twitchId);
  await read([viewer], 0);
  await pause();
  // The first of them is evaluated in vain, and then the next check is the other's.
  for (let tick = 1; tick <= 4; tick++) await read([viewer], tick);
  const watched = () => watchedRows(db.read);
  const before = await watched();
  expect(before).toMatchObject([{ seconds: 240, nextCheckSeconds: 300 }]);
  const opened = await db.transaction((tx) =>
    resumeRulesOf(tx, { ownerId: streamer.userId, reason: 'lostPermission' }, START_MS),
  );
  expect(opened).toHaveLength(2);
  expect(await watched()).toEqual(before);
  // Nobody was evaluated at the end of the pause: this tick finds both.
  expect((await read([viewer], 5)).qualified).toBe(2);
});

test('Viewers who met a rule while it was paused are served when it resumes', async () => {
  const viewer = await addPerson(db);
  const ruleId = await addRule(db, streamer, { watchMinutes: 3 });
  await goLive(db, streamer.twitchId);
  await read([viewer], 1);
  await pause();
  for (let tick = 2; tick <= 4; tick++) await read([viewer], tick);
  await resume(START_MS + 4 * minute);
  expect(await rewardsOf(db, ruleId)).toMatchObject([
    { state: 'promised', userId: viewer.userId, promisedAtMs: START_MS + 4 * minute },
  ]);
});

test('A viewer who began to watch while a rule was paused qualifies at the very tick that reaches it', async () => {
  const viewer = await addPerson(db);
  const ruleId = await addRule(db, streamer, { watchMinutes: 3 });
  await pause();
  await goLive(db, streamer.twitchId);
  await read([viewer], 1);
  await resume(START_MS + minute);
  expect((await read([viewer], 2)).qualified).toBe(0);
  expect((await read([viewer], 3)).qualified).toBe(1);
  expect((await rewardsOf(db, ruleId)).map(({ state }) => state)).toEqual(['promised']);
});

test('A rule resumes only when its reason for pausing has ended, and never after it was closed', async () => {
  const ruleId = await addRule(db, streamer, { rewards: 0 });
  await pause('overLimit');
  await pause('lostPermission');
  expect(await standing(ruleId)).toEqual(['paused', 'overLimit']);
  await resume(START_MS, 'lostPermission');
  expect(await standing(ruleId)).toEqual(['paused', 'overLimit']);
  await resume(START_MS, 'overLimit');
  expect(await standing(ruleId)).toEqual(['open', null]);
  await pause();
  await closeRule(db, { ruleId, userId: streamer.userId }, START_MS);
  await resume(START_MS);
  expect((await standing(ruleId))[0]).toBe('closed');
});
