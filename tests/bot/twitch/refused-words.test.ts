import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { mails } from '#db/schema/outbox.ts';
import { listPublicRules } from '#domain/rule/list-public-rules.ts';
import { listProgress } from '#domain/view/list-progress.ts';
import { askDirectly } from '#tests/bot/twitch/chat-stage.ts';
import { asksPoints, isOpen, recordOf, setPointsChannel, whenShown } from '#tests/bot/twitch/points-stage.ts';
import { goLive, setChannel, setStage, until } from '#tests/bot/twitch/stage.ts';

test('A custom reward whose prompt AutoMod refuses is created without the names of the items', async () => {
  const stage = await setStage();
  stage.world.faults.refuseWord('prompt', 'You get');
  const { channelId } = await setPointsChannel(stage);
  const shown = await whenShown(stage, channelId, isOpen);
  expect(shown).toMatchObject({ title: asksPoints.name });
  expect(shown.prompt).not.toContain('You get');
  expect(shown.prompt).toContain('points are refunded');
});

test('A custom reward whose name AutoMod refuses gets another one', async () => {
  const stage = await setStage();
  stage.world.faults.refuseWord('title', 'crew');
  const { channelId, ruleId } = await setPointsChannel(stage);
  const shown = await whenShown(stage, channelId, isOpen);
  expect(shown.title).toBe(`Keepsake · ${ruleId.slice(-6)}`);
  expect(shown.prompt).toContain('You get');
});

test('Words that AutoMod refuses when a custom reward changes are left out', async () => {
  const stage = await setStage();
  const { channelId, twitchRewardId } = await setPointsChannel(stage);
  stage.world.faults.refuseWord('prompt', 'You get');
  stage.world.channelPoints.updateReward(twitchRewardId, { prompt: 'by hand', cost: 1 });
  const shown = await whenShown(stage, channelId, (reward) => reward.cost === 500);
  expect(shown.prompt).not.toContain('You get');
  expect(shown.prompt).toContain('points are refunded');
});

test('A refusal of every wording is told to the streamer, and no viewer is sent to the reward', async () => {
  const stage = await setStage();
  stage.world.faults.refuseWord('title', '');
  const { streamer, viewer, ruleId } = await setChannel(stage, asksPoints);
  const { twitchId: channelId } = streamer;
  await stage.startBot();
  await goLive(stage, channelId);
  await until(
    () => recordOf(stage, ruleId),
    (record) => record?.fault === 'wordsRefused',
  );
  const letters = await stage.db.read.select().from(mails).where(eq(mails.template, 'rewardWordsRefused'));
  expect(letters).toMatchObject([{ values: { rule: asksPoints.name, ruleId } }]);
  expect(await listPublicRules(stage.db, channelId)).toMatchObject([{ id: ruleId, pointsRefused: true }]);
  const progress = await listProgress(stage.db, { userId: viewer.userId }, stage.clock.now());
  for (const { progress: reached } of progress.rows) expect(reached.points).toMatchObject({ refused: true });
  expect(await askDirectly(stage, channelId, viewer.twitchId, '!rewards', 'en')).not.toContain(
    asksPoints.name,
  );
});

test('A channel that loses its status is told on its rules, until it has it again', async () => {
  const stage = await setStage();
  const { channelId, ruleId } = await setPointsChannel(stage);
  const faultIs = (fault: string | null) =>
    until(
      () => recordOf(stage, ruleId),
      (record) => record?.fault === fault,
    );
  stage.world.setBroadcasterType(channelId, '');
  await faultIs('notAffiliate');
  const letters = await stage.db.read.select().from(mails).where(eq(mails.template, 'noChannelPoints'));
  expect(letters).toMatchObject([{ values: { ruleId } }]);
  stage.world.setBroadcasterType(channelId, 'affiliate');
  await faultIs(null);
});
