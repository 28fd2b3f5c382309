import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import { pollRedemptions } from '#bot/twitch/points/redemption-poller.ts';
import { hour } from '#domain/kernel/time.ts';
import { hurryTwurple } from '#tests/support/hurried-twurple.ts';
import { givenAlone, goOn, setPointsChannel } from './points-stage.ts';
import { setStage } from './stage.ts';

beforeAll(hurryTwurple);

const EVERY_MS = 10;

/** A channel with one custom reward, and a poller that counts its polls. */
async function setCountingPoller() {
  const stage = await setStage();
  const { bot, channelId, twitchRewardId } = await setPointsChannel(stage);
  await bot.stop();
  const given = givenAlone(stage);
  let isReceived = true;
  let polls = 0;
  const poller = pollRedemptions({
    ...given,
    points: {
      ...given.points,
      list(id) {
        polls += 1;
        return given.points.list(id);
      },
    },
    everyMs: EVERY_MS,
    pausedEveryMs: hour,
    seen: () => {},
    receivesAllEvents: () => isReceived,
  });
  /** The polls of a round after the usual interval. */
  const pollsLater = async (): Promise<number> => {
    await delay(2 * EVERY_MS);
    const before = polls;
    await poller.round(goOn());
    return polls - before;
  };
  return {
    poller,
    channelId,
    pollsLater,
    receive: (now: boolean) => {
      isReceived = now;
    },
    pause: (isPaused: boolean) =>
      given.points.update(channelId, twitchRewardId, { isEnabled: true, isPaused }),
  };
}

test('A channel is polled rarely while nothing can be redeemed and its events arrive', async () => {
  const { pollsLater, pause } = await setCountingPoller();
  expect([await pollsLater(), await pollsLater()]).toEqual([1, 1]);
  await pause(true);
  expect(await pollsLater(), 'which finds it paused').toBe(1);
  expect([await pollsLater(), await pollsLater()]).toEqual([0, 0]);
});

test('Paused or not, it is polled at the usual interval once its events stop arriving', async () => {
  const { poller, channelId, pollsLater, pause, receive } = await setCountingPoller();
  await pause(true);
  await pollsLater();
  expect(await pollsLater()).toBe(0);
  receive(false);
  expect([await pollsLater(), await pollsLater()]).toEqual([1, 1]);
  receive(true);
  expect(await pollsLater()).toBe(0);
  poller.catchUp(channelId);
  expect(await pollsLater(), 'what was missed is read at once').toBe(1);
});
