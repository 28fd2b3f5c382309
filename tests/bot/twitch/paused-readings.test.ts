// A process is paused while Twitch tells it who is in a chat. Another one takes the channel over meanwhile. The paused one
// believes in its lease until it wakes, which is worse than a pause.
import { afterEach, expect, test, vi } from 'vitest';
import type { Chatter } from '#bot/twitch/api.ts';
import { minute, second } from '#domain/kernel/time.ts';
import { START_MS } from '#tests/support/fixtures.ts';
import { passTime } from '#tests/support/passing-time.ts';
import { awaited, crowd, setLive } from './live-stage.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** The time after which a lease that nobody renews is another process's. */
const TAKEN_OVER_MS = 15 * second;

type Answer = { chatters: Chatter[]; total: number };
type Live = Awaited<ReturnType<typeof setLive>>;

/** Begins a reading of which the answer comes when the test gives it. */
async function beginReading({ twitch }: Live, reader: ReturnType<Live['start']>) {
  const answer = awaited<Answer>();
  const usual = twitch.answer;
  twitch.answer = () => answer.promise;
  await reader.round();
  twitch.answer = usual;
  return answer;
}

/** Lets time pass while a process reads each minute. */
async function readOn(reader: ReturnType<Live['start']>, ms: number): Promise<void> {
  for (let leftMs = ms; leftMs > 0; leftMs -= minute) await reader.read(Math.min(leftMs, minute));
}

const wake = (
  reader: ReturnType<Live['start']>,
  answer: { give(value: Answer): void },
  chatters: Chatter[],
) => {
  reader.share.isMine = false;
  answer.give({ chatters, total: chatters.length });
  return reader.settle();
};

test.each(
  [5, 45, 90, 200, 600].flatMap((pauseS) => [
    [pauseS, 'the viewer is missing in', []] as const,
    [pauseS, 'the viewer is still on', crowd(1)] as const,
  ]),
)(
  'A pause of %d s, after which %s an old list, counts each second once and makes no gap',
  async (pauseS, _, old) => {
    const live = await setLive();
    const { takeOver, seconds, gaps } = live;
    const one = await takeOver('one');
    await one.read(minute);
    passTime(minute);
    const answer = await beginReading(live, one);
    const before = await gaps();
    const isTakenOver = pauseS * second > TAKEN_OVER_MS;
    if (!isTakenOver) {
      passTime(pauseS * second);
      answer.give({ chatters: crowd(1), total: 1 });
      await one.settle();
      await one.read(minute - pauseS * second);
    } else {
      passTime(TAKEN_OVER_MS);
      const two = await takeOver('two');
      await two.read(0);
      await readOn(two, pauseS * second - TAKEN_OVER_MS);
      const counted = await seconds();
      await wake(one, answer, [...old]);
      expect([await seconds(), await gaps()]).toEqual([counted, before]);
      await two.read(minute);
    }
    const passedS = (Date.now() - START_MS) / second;
    expect(await seconds()).toBe(passedS);
    expect(await gaps()).toEqual(before);
  },
);

test('Two processes that are paused in turn, each while it reads, count each second once and make no gap', async () => {
  const live = await setLive();
  const { takeOver, seconds, gaps } = live;
  const one = await takeOver('one');
  await one.read(minute);
  passTime(minute);
  const answers = [await beginReading(live, one)];
  const before = await gaps();
  passTime(TAKEN_OVER_MS);
  const two = await takeOver('two');
  answers.push(await beginReading(live, two));
  passTime(TAKEN_OVER_MS);
  const three = await takeOver('one again');
  await three.read(0);
  for (const [place, reader] of [one, two].entries()) {
    await wake(reader, answers[place] ?? awaited(), crowd(0));
    await three.read(minute);
  }
  expect(await seconds()).toBe((Date.now() - START_MS) / second);
  expect(await gaps()).toEqual(before);
});
