import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { rules } from '#db/schema/rule.ts';
import { newId } from '#domain/kernel/id.ts';
import { beginCustomReward } from '#domain/redemption/record-custom-reward.ts';
import { correctRule } from '#domain/rule/correct-rule.ts';
import { asksPoints, setPointsChannel, shownOn, whenShown } from './points-stage.ts';
import { clientId, type Stage, setChannel, setStage, until } from './stage.ts';

const anyReward = { title: 'Demo', cost: 100, skipsRequestQueue: true };

const correctName = async (stage: Stage, ruleId: string, name: string) => {
  const [rule] = await stage.db.read.select().from(rules).where(eq(rules.id, ruleId));
  const { ownerId: userId, ...values } = rule!;
  const wanted = { ...values, name };
  const nowMs = stage.clock.now();
  const corrected = await correctRule(stage.db, { requestId: newId(nowMs), ruleId, userId, wanted }, nowMs);
  expect(corrected).toMatchObject({ ok: true });
};

test('A custom reward gets the corrected name of its rule, another one if that is taken, and keeps one of the streamer’s own', async () => {
  const stage = await setStage();
  const { channelId, ruleId, twitchRewardId } = await setPointsChannel(stage);
  const whenOurs = (holds: (reward: { title: string; cost: number }) => boolean) =>
    until(
      () => shownOn(stage, channelId).filter(({ id }) => id === twitchRewardId),
      (ours) => ours.length === 1 && ours.every(holds),
    );
  await correctName(stage, ruleId, 'A knife for the crew');
  await whenOurs(({ title }) => title === 'A knife for the crew');
  stage.world.channelPoints.createReward('another-application', channelId, {
    ...anyReward,
    title: 'Taken',
  });
  await correctName(stage, ruleId, 'Taken');
  await whenOurs(({ title }) => title === `Taken · ${ruleId.slice(-6)}`);
  stage.world.channelPoints.updateReward(twitchRewardId, { title: 'Mine', cost: 1 });
  await whenOurs(({ title, cost }) => title === 'Mine' && cost === 500);
});

test('A custom reward created under the name before a correction by a process that died is found and renamed', async () => {
  const stage = await setStage();
  const { streamer, ruleId } = await setChannel(stage, asksPoints);
  await beginCustomReward(stage.db, { ruleId, channelId: streamer.twitchId });
  const lost = stage.world.channelPoints.createReward(clientId, streamer.twitchId, {
    ...anyReward,
    title: 'A case for the crew',
    isEnabled: false,
  });
  await correctName(stage, ruleId, 'A knife for the crew');
  await stage.startBot();
  await whenShown(
    stage,
    streamer.twitchId,
    ({ id, title }) => id === lost.id && title === 'A knife for the crew',
  );
  expect(shownOn(stage, streamer.twitchId)).toHaveLength(1);
});
