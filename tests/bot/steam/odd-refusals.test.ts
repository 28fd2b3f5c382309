import { beforeEach, expect, test } from 'vitest';
import { classifyActionError, DeadlineError } from '#bot/steam/steam-failure.ts';
import { answerWatch } from '#platform/answers/answer-watch.ts';
import { claim, promiseReward } from '#tests/support/promised-reward.ts';
import { setSteamStage, startBot, transferIn } from '#tests/support/steam-stage.ts';

beforeEach(() => void answerWatch.take());

const refusal = (message: string, facts: object = {}) => Object.assign(new Error(message), facts);

test('A refusal in words or with a number that nobody knows is counted without names', () => {
  classifyActionError(refusal('You cannot trade with Some_Body: safety review (77)', { eresult: 77 }));
  classifyActionError(refusal('You cannot trade with Another_One: safety review (77)', { eresult: 77 }));
  classifyActionError(refusal('Please confirm the mobile review'));
  const shown = 'You cannot trade with … safety review (77)';
  const usual = { platform: 'steam', path: 'strError', difference: 'value', reaction: 'unknown' };
  expect(answerWatch.take()).toMatchObject([
    { ...usual, found: shown, example: JSON.stringify(shown), count: 2 },
    { ...usual, found: 'Please confirm the mobile review', count: 1 },
  ]);
});

test('Known refusals, known doubts and failures on the way to Steam are not', () => {
  for (const error of [
    refusal('There was an error (26)', { eresult: 26 }),
    refusal('There was an error (16)', { eresult: 16 }),
    refusal('You can only trade this. It can only be sent to friends.'),
    refusal('socket hang up', { code: 'ECONNRESET' }),
    refusal('HTTP error 502'),
    new DeadlineError(1000),
  ])
    classifyActionError(error);
  expect(answerWatch.take()).toEqual([]);
});

test('The words of a refused sending are counted, and the offer is sent all the same', async () => {
  const stage = await setSteamStage();
  stage.world.speak({ firstSendings: 'unknownWords' });
  const { rewardId } = await promiseReward(stage);
  await startBot(stage);
  await transferIn(stage, await claim(stage, rewardId), 'sent');
  expect(answerWatch.take()).toMatchObject([
    {
      place: expect.stringContaining('tradeoffer/new/send'),
      found: expect.stringMatching(/^… that no … has/),
    },
  ]);
});
