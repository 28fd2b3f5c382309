import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { mails } from '#db/schema/outbox.ts';
import { rules } from '#db/schema/rule.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { newId } from '#domain/kernel/id.ts';
import { channelLock } from '#domain/kernel/locks.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';
import { closeRule } from '#domain/rule/close-rule.ts';
import { endDuePauses, nextPauseEndMs } from '#domain/rule/end-due-pauses.ts';
import { endPause } from '#domain/rule/end-pause.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { pauseRule, SHORT_PAUSE_MS } from '#domain/rule/pause-rule.ts';
import { pauseRulesOf } from '#domain/rule/pause-rules.ts';
import { succeedRule } from '#domain/rule/succeed-rule.ts';
import { prepareMail } from '#domain/view/prepare-mail.ts';
import { addPerson, addRule, addStreamer, START_MS } from '#tests/support/fixtures.ts';
import { rewardsOf } from '#tests/support/looking.ts';
import { promiseTo } from '#tests/support/promises.ts';
import { resumeRules } from '#tests/support/resuming.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { goLive, readChatters } from '#tests/support/stream.ts';
import { watchFor } from '#tests/support/watching.ts';

setScene();

const endMs = START_MS + SHORT_PAUSE_MS;
const pause = (ruleId: string, resumesAtMs: number | null = endMs, nowMs = START_MS) =>
  pauseRule(db, { ruleId, userId: streamer.userId, resumesAtMs }, nowMs);
const resume = (ruleId: string, nowMs: number) => endPause(db, { ruleId, userId: streamer.userId }, nowMs);
const ruleOf = async (ruleId: string) => (await db.read.select().from(rules).where(eq(rules.id, ruleId)))[0]!;
const standing = async (ruleId: string) => {
  const { state, pauseReason } = await ruleOf(ruleId);
  return [state, pauseReason];
};
const statesOf = async (ruleId: string) => (await rewardsOf(db, ruleId)).map(({ state }) => state);
const remindedOf = async () =>
  (await db.read.select().from(mails).where(eq(mails.template, 'rulePaused'))).map(
    ({ recipient, values }) => [recipient, values.ruleId],
  );

test('A streamer can pause a rule: nothing is promised, promises are claimed, and minutes go on counting', async () => {
  const [first, second] = [await addPerson(db), await addPerson(db)];
  const { ruleId, rewards } = await promiseTo(db, streamer, [first], { rewards: 2 });
  expect(await pause(ruleId)).toEqual({ ok: true });
  expect(await standing(ruleId)).toEqual(['paused', 'owner']);
  await goLive(db, streamer.twitchId);
  for (let tick = 0; tick <= 10; tick++)
    await readChatters(db, streamer.twitchId, [second.twitchId], START_MS + tick * minute);
  await evaluateChannel(db, streamer.twitchId, START_MS + 11 * minute);
  expect(await statesOf(ruleId)).toEqual(['promised', 'free']);
  const claimed = await claimReward(db, { rewardId: rewards[0]!.id, userId: first.userId }, START_MS);
  expect(claimed.ok).toBe(true);
  expect(await resume(ruleId, START_MS + 12 * minute)).toEqual({ ok: true, open: true });
  // The minutes of the pause are enough.
  expect(await rewardsOf(db, ruleId)).toMatchObject([
    { state: 'reserved', userId: first.userId },
    { state: 'promised', userId: second.userId, promisedAtMs: START_MS + 12 * minute },
  ]);
});

test('A pause for 30 minutes ends by itself, not before, and serves whoever met the rule meanwhile', async () => {
  const viewer = await addPerson(db);
  const ruleId = await addRule(db, streamer, { watchMinutes: 3 });
  await pause(ruleId);
  await watchFor(db, streamer.twitchId, [[viewer.twitchId, 180]]);
  expect(await nextPauseEndMs(db.read, START_MS + minute)).toBe(29 * minute);
  expect(await endDuePauses(db, endMs - 1)).toBe(0);
  expect(await standing(ruleId)).toEqual(['paused', 'owner']);
  expect(await endDuePauses(db, endMs)).toBe(1);
  expect(await standing(ruleId)).toEqual(['open', null]);
  expect(await rewardsOf(db, ruleId)).toMatchObject([{ state: 'promised', userId: viewer.userId }]);
  expect(await ruleOf(ruleId)).toMatchObject({ pausedAtMs: null, resumesAtMs: null, remindsAtMs: null });
  expect([await endDuePauses(db, endMs), await nextPauseEndMs(db.read, endMs)]).toEqual([0, null]);
  expect(await remindedOf()).toEqual([]);
});

test('A pause without an end lasts; its owner is reminded once, after a day, and viewers keep their places', async () => {
  const [early, late] = [await addPerson(db), await addPerson(db)];
  const ruleId = await addRule(db, streamer, { watchMinutes: 3, rewards: 0 });
  await watchFor(db, streamer.twitchId, [[early.twitchId, 180]]);
  await evaluateChannel(db, streamer.twitchId, START_MS);
  await pause(ruleId, null);
  await watchFor(db, streamer.twitchId, [[late.twitchId, 180]]);
  expect(await nextPauseEndMs(db.read, START_MS)).toBe(day);
  await endDuePauses(db, START_MS + day - 1);
  expect(await remindedOf()).toEqual([]);
  await endDuePauses(db, START_MS + day);
  await endDuePauses(db, START_MS + 3 * day);
  expect(await remindedOf()).toEqual([[expect.stringContaining('@'), ruleId]]);
  expect(await standing(ruleId)).toEqual(['paused', 'owner']);
  const [letter] = await db.read.select().from(mails).where(eq(mails.template, 'rulePaused'));
  const prepared = () => prepareMail(db.read, letter!, START_MS + 3 * day, START_MS + 3 * day);
  expect(await prepared()).toMatchObject({ due: true, values: { ruleId } });
  await resume(ruleId, START_MS + 3 * day);
  expect(await prepared()).toEqual({ due: false, reason: 'outdated' });
});

test('A pause that cannot be ended, and a reminder that cannot be written, hold up no other', async () => {
  const others = [await addStreamer(db), await addStreamer(db), await addStreamer(db)];
  const [ending, broken, later] = [
    await addRule(db, others[0]!, { rewards: 0 }),
    await addRule(db, streamer, { rewards: 0 }),
    await addRule(db, others[1]!, { rewards: 0 }),
  ];
  const endless = [
    await addRule(db, others[2]!, { rewards: 0 }),
    await addRule(db, others[2]!, { rewards: 0 }),
  ];
  const pauseOf = (ruleId: string, userId: string, resumesAtMs: number | null, nowMs = START_MS) =>
    pauseRule(db, { ruleId, userId, resumesAtMs }, nowMs);
  await pauseOf(broken, streamer.userId, endMs);
  await pauseOf(ending, others[0]!.userId, endMs + 1);
  await pauseOf(later, others[1]!.userId, endMs + 2);
  for (const ruleId of endless) await pauseOf(ruleId, others[2]!.userId, null, endMs);
  let reminders = 0;
  const breaking: typeof db = Object.create(db, {
    transaction: {
      value: (work: Parameters<typeof db.transaction>[0], options?: { lock?: unknown }) => {
        const isBroken = options?.lock
          ? JSON.stringify(options.lock) === JSON.stringify(channelLock(streamer.twitchId))
          : reminders++ === 0;
        return isBroken ? Promise.reject(new Error('demo trouble')) : db.transaction(work, options as never);
      },
    },
  });
  await expect(endDuePauses(breaking, endMs + day)).rejects.toThrow('demo trouble');
  const states = async () => Promise.all([broken, ending, later].map(async (id) => (await standing(id))[0]));
  expect(await states()).toEqual(['paused', 'open', 'open']);
  expect((await remindedOf()).map(([, ruleId]) => ruleId)).toHaveLength(1);
  expect(await endDuePauses(db, endMs + day)).toBe(1);
  expect(await states()).toEqual(['open', 'open', 'open']);
  expect((await remindedOf()).map(([, ruleId]) => ruleId).sort()).toEqual(endless.toSorted());
});

test('Pausing again sets the end anew, and a rule that was resumed is not resumed by the old end', async () => {
  const ruleId = await addRule(db, streamer, { rewards: 0 });
  await pause(ruleId);
  await pause(ruleId, endMs + hour, START_MS + minute);
  expect(await ruleOf(ruleId)).toMatchObject({ pausedAtMs: START_MS, resumesAtMs: endMs + hour });
  expect(await endDuePauses(db, endMs)).toBe(0);
  await pause(ruleId, null, START_MS + 2 * minute);
  expect(await endDuePauses(db, endMs + hour)).toBe(0);
  expect(await resume(ruleId, endMs)).toEqual({ ok: true, open: true });
  expect(await resume(ruleId, endMs)).toEqual({ ok: true, open: true });
});

test('A pause outlasts another reason, and another reason outlasts a pause', async () => {
  const viewer = await addPerson(db);
  const [asked, blocked] = [
    await addRule(db, streamer, { watchMinutes: 3 }),
    await addRule(db, streamer, { watchMinutes: 3, rewards: 2 }),
  ];
  const lost = { ownerId: streamer.userId, reason: 'lostPermission' as const };
  await pause(asked);
  await db.transaction((tx) => pauseRulesOf(tx, lost, START_MS));
  // Its pause does not hide that it could not go on.
  expect(await standing(asked)).toEqual(['paused', 'lostPermission']);
  expect(await standing(blocked)).toEqual(['paused', 'lostPermission']);
  await pause(blocked, null);
  await watchFor(db, streamer.twitchId, [[viewer.twitchId, 180]]);
  // It would resume if its owner had not paused it too.
  await resumeRules(db, lost, START_MS + minute);
  expect([await standing(asked), await standing(blocked)]).toEqual([
    ['paused', 'owner'],
    ['paused', 'owner'],
  ]);
  expect(await statesOf(blocked)).toEqual(['free', 'free']);
  expect(await resume(blocked, START_MS + minute)).toEqual({ ok: true, open: true });
  expect(await statesOf(blocked)).toEqual(['promised', 'free']);
  await db.transaction((tx) => pauseRulesOf(tx, lost, START_MS));
  await pause(blocked, endMs);
  expect(await resume(blocked, START_MS + minute)).toEqual({ ok: true, open: false });
  expect(await standing(blocked)).toEqual(['paused', 'lostPermission']);
});

test('Only its owner pauses and resumes a rule, and nobody one that is closed', async () => {
  const ruleId = await addRule(db, streamer, { rewards: 0 });
  const { userId } = await addStreamer(db);
  expect(await pauseRule(db, { ruleId, userId, resumesAtMs: null }, START_MS)).toMatchObject({
    code: 'notFound',
  });
  await pause(ruleId);
  expect(await endPause(db, { ruleId, userId }, START_MS)).toMatchObject({ code: 'notFound' });
  await closeRule(db, { ruleId, userId: streamer.userId }, START_MS);
  expect(await pause(ruleId, null)).toMatchObject({ code: 'ruleClosed' });
  expect(await resume(ruleId, START_MS)).toMatchObject({ code: 'ruleClosed' });
  expect([await endDuePauses(db, endMs), (await standing(ruleId))[0]]).toEqual([0, 'closed']);
});

test('A harder rule that takes the place of a paused one stays paused as long', async () => {
  const [winner, viewer] = [await addPerson(db), await addPerson(db)];
  const { ruleId } = await promiseTo(db, streamer, [winner], { rewards: 2 });
  await watchFor(db, streamer.twitchId, [[viewer.twitchId, 3 * 3600]]);
  await pause(ruleId);
  const requestId = newId(START_MS);
  const wanted = { ...(await ruleOf(ruleId)), watchMinutes: 120 };
  const request = { requestId, ruleId, userId: streamer.userId, wanted, again: false };
  expect(await succeedRule(db, request, START_MS + minute)).toMatchObject({ ok: true });
  expect(await standing(requestId)).toEqual(['paused', 'owner']);
  expect(await statesOf(requestId)).toEqual(['free']);
  expect(await endDuePauses(db, endMs)).toBe(1);
  expect(await standing(requestId)).toEqual(['open', null]);
  expect(await rewardsOf(db, requestId)).toMatchObject([{ state: 'promised', userId: viewer.userId }]);
});
