import { expect, test } from 'vitest';
import { isProfileDue, recordProfile } from '#domain/bot/record-profile.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { day } from '#domain/kernel/time.ts';
import { findNextOffer } from '#domain/reward/find-next-offer.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { acceptOffer, addPerson, addRule, START_MS, sendQueued } from '#tests/support/fixtures.ts';
import { rewardsOf } from '#tests/support/looking.ts';
import { botId, db, setScene, streamer } from '#tests/support/scene.ts';
import { watchFor } from '#tests/support/watching.ts';

setScene();
const profile = { name: 'Keepsake 02', pictureUrl: 'https://example.org/a.jpg', level: 27, sinceMs: 1 };

/** A viewer who has met a rule of an hour, and the reward that they were promised. */
async function promised() {
  const viewer = await addPerson(db);
  const ruleId = await addRule(db, streamer, { rewards: 1 });
  await watchFor(db, streamer.twitchId, [[viewer.twitchId, 3600]]);
  await evaluateChannel(db, streamer.twitchId, START_MS);
  const [reward] = await rewardsOf(db, ruleId);
  return { userId: viewer.userId, rewardId: reward?.id ?? '' };
}

test('Before the profile was read, an offer names its bot as the operator does, without a record', async () => {
  expect(await findNextOffer(db, await promised())).toMatchObject({
    bot: { name: botId, pictureUrl: '', level: null, sinceMs: null, record: null },
  });
});

test('An offer shows its bot as Steam does, with what it has delivered', async () => {
  const first = await promised();
  await claimReward(db, first, START_MS);
  const [offer] = await sendQueued(db, START_MS);
  await acceptOffer(db, offer?.id ?? '', [], START_MS);
  await recordProfile(db, botId, profile, START_MS);
  const second = await promised();
  expect((await findNextOffer(db, second))?.bot).toMatchObject({
    name: 'Keepsake 02',
    level: 27,
    sinceMs: 1,
    record: { delivered: 1, reversed: 0 },
  });
});

test('A profile is due once a day, and for no bot that there is not', async () => {
  expect(await isProfileDue(db.read, botId, START_MS)).toBe(true);
  await recordProfile(db, botId, profile, START_MS);
  expect(await isProfileDue(db.read, botId, START_MS + day - 1)).toBe(false);
  expect(await isProfileDue(db.read, botId, START_MS + day)).toBe(true);
  expect(await isProfileDue(db.read, 'nobody', START_MS)).toBe(false);
});
