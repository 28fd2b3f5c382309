import { expect, test } from 'vitest';
import { answerWatch } from '#platform/answers/answer-watch.ts';
import { readShapes, replayOf } from '#sandbox/shapes/replay.ts';
import {
  fetchAgain,
  setBillingStage,
  storedOf,
  streamer,
  streamerBasic,
  stripe,
  subscribe,
} from './stage.ts';

setBillingStage();

test('A status that Stripe has made up keeps the plan, and is recorded', async () => {
  await subscribe(streamer, streamerBasic);
  const before = await storedOf(streamer);
  expect(before).toMatchObject([{ ...streamerBasic, problem: null }]);
  answerWatch.take();
  const shapes = readShapes(new URL('../../sandbox/shapes/made-up.json', import.meta.url));
  replayOf(stripe.world).speak(shapes.filter(({ platform }) => platform === 'stripe'));
  await fetchAgain(streamer);
  expect(answerWatch.take()).toMatchObject([
    { platform: 'stripe', place: 'subscription', path: 'status', found: 'resting', reaction: 'unknown' },
  ]);
  expect(await storedOf(streamer)).toMatchObject([
    { state: before[0]?.state, ...streamerBasic, problem: 'unknownStatus' },
  ]);
  replayOf(stripe.world).speak([]);
  await fetchAgain(streamer);
  expect(answerWatch.take()).toEqual([]);
  expect(await storedOf(streamer)).toMatchObject([{ problem: null }]);
});
