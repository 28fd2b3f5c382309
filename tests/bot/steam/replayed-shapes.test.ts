import { readdirSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { steamShapes } from '#bot/steam/answer-shapes.ts';
import { startAnswerWatch } from '#bot/workers/start-answer-watch.ts';
import { listOddAnswers } from '#domain/odd-answer/list-odd-answers.ts';
import { answerWatch } from '#platform/answers/answer-watch.ts';
import { readShapes, replayOf } from '#sandbox/shapes/replay.ts';
import { claim, promiseReward } from '#tests/support/promised-reward.ts';
import { rewardOf, setSteamStage, startBot, transferIn, until } from '#tests/support/steam-stage.ts';

const folder = new URL('../../../sandbox/shapes/', import.meta.url);
const reports = readdirSync(folder).filter((name) => name.endsWith('.json'));

test.each(reports)('A claim in the shapes of %s loses nothing, and each is recorded', async (name) => {
  const shapes = readShapes(new URL(name, folder)).filter(({ platform }) => platform === 'steam');
  const stage = await setSteamStage();
  const { world, viewer } = stage;
  const { rewardId } = await promiseReward(stage);
  answerWatch.take();
  replayOf(world).speak(shapes);
  await startBot(stage);
  const transferId = await claim(stage, rewardId);
  const { offerId } = await transferIn(stage, transferId, 'sent', 'accepted');
  world.accept(offerId ?? '', viewer.steamId);
  const watch = startAnswerWatch(stage.deps([]));
  onTestFinished(() => watch.stop());
  const differences = () => listOddAnswers(stage.db.read);
  await until(async () => {
    watch.nudge();
    return (await differences()).length >= shapes.length;
  });
  expect(await differences()).toEqual(
    expect.arrayContaining(
      shapes.map(({ place, path, difference, found }) =>
        expect.objectContaining({ platform: 'steam', place, path, difference, found }),
      ),
    ),
  );
  // Nothing was concluded from what is not known, and nothing was sent twice.
  await transferIn(stage, transferId, 'sent', 'accepted');
  expect(world.offers().map(({ id }) => id)).toEqual([offerId]);
  replayOf(world).speak([]);
  await transferIn(stage, transferId, 'accepted');
  expect((await rewardOf(stage, rewardId)).state).toBe('claimed');
});

test('The usual answers of the sandbox fit', async () => {
  const stage = await setSteamStage();
  const { world, viewer } = stage;
  const { rewardId } = await promiseReward(stage);
  answerWatch.take();
  await startBot(stage);
  const transferId = await claim(stage, rewardId);
  const { offerId } = await transferIn(stage, transferId, 'sent');
  world.accept(offerId ?? '', viewer.steamId);
  await transferIn(stage, transferId, 'accepted');
  expect(answerWatch.take()).toEqual([]);
  expect(steamShapes.map(({ place }) => place)).toContain('inventory');
});
