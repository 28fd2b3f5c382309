import { afterEach, expect, test, vi } from 'vitest';
import type { Chatter } from '#bot/twitch/api.ts';
import { TwitchFault } from '#bot/twitch/twitch-fault.ts';
import type { Database } from '#db/database.ts';
import { minute, second } from '#domain/kernel/time.ts';
import { START_MS } from '#tests/support/fixtures.ts';
import { passTime, stepHostClock } from '#tests/support/passing-time.ts';
import { awaited, crowd, setLive } from './live-stage.ts';

afterEach(() => {
  vi.useRealTimers();
});

/** Tells when viewers' places are asked for, and answers once `held` ends. */
function slowReader(read: Database['read'], asked: () => void, held: Promise<void>): Database['read'] {
  const slow = <B extends object>(builder: B): B =>
    new Proxy(builder, {
      get(target, key) {
        const value = Reflect.get(target, key);
        if (typeof value !== 'function') return value;
        if (key !== 'prepare') return (...given: unknown[]) => slow(Reflect.apply(value, target, given));
        return (name: string) => {
          const prepared = Reflect.apply(value, target, [name]);
          const execute = async (values: object) => {
            asked();
            await held;
            return prepared.execute(values);
          };
          return { execute };
        };
      },
    });
  const select = (...given: unknown[]) => slow(Reflect.apply(read.select, read, given));
  return { select } as unknown as Database['read'];
}

test('A chat whose list is always a little short has no gap when another process goes on with it', async () => {
  const { twitch, start, gaps, seconds } = await setLive();
  twitch.answer = async () => ({ chatters: crowd(60), total: 61 });
  const one = start();
  for (let n = 0; n < 20; n++) await one.read(10 * second);
  await one.read(minute);
  const [before, counted] = [await gaps(), await seconds()];
  expect(counted).toBeGreaterThan(0);
  const two = start();
  await two.read(minute);
  expect(await seconds()).toBe(counted + 60);
  expect(await gaps()).toEqual(before);
});

test('A list that is complete again begins anew once it is short, in another process too', async () => {
  const { twitch, start, seconds } = await setLive();
  twitch.answer = async () => ({ chatters: crowd(60), total: 61 });
  const one = start();
  for (let n = 0; n < 20; n++) await one.read(10 * second);
  twitch.answer = async () => ({ chatters: crowd(60), total: 60 });
  await one.read(minute);
  const counted = await seconds();
  twitch.answer = async () => ({ chatters: crowd(60), total: 61 });
  await start().read(minute);
  expect(await seconds()).toBe(counted);
});

test('What Twitch did not answer one process is the reason of the gap that another one ends', async () => {
  const { twitch, start, gaps, seconds } = await setLive();
  const one = start();
  const { answer } = twitch;
  twitch.answer = async () => {
    throw new TwitchFault('unavailable', 'no answer');
  };
  await one.read(minute);
  await one.read(20 * second);
  twitch.answer = answer;
  const two = start();
  await two.read(40 * second);
  expect(await seconds()).toBe(0);
  expect(await gaps()).toMatchObject([{ reason: 'twitchUnavailable', untilMs: START_MS + 2 * minute }]);
  // Another interval of this length counts.
  await start().read(2 * minute);
  expect(await seconds()).toBe(120);
});

test('A reading that ended with its lease says nothing of Twitch, so the whole interval counts', async () => {
  const { twitch, start, gaps, seconds } = await setLive();
  const { answer } = twitch;
  twitch.answer = async () => {
    throw new TwitchFault('leaseEnded', 'the lease ended during the call');
  };
  await start().read(minute);
  twitch.answer = answer;
  const before = await gaps();
  await start().read(minute);
  expect(await seconds()).toBe(120);
  expect(await gaps()).toEqual(before);
});

test('A cursor is put back with the clock before the channel’s slot is given up, and by nobody later', async () => {
  const { twitch, start, seconds, cursorMs } = await setLive();
  const one = start();
  const answer = awaited<{ chatters: Chatter[]; total: number }>();
  const usual = twitch.answer;
  twitch.answer = () => answer.promise;
  passTime(minute);
  await one.round();
  stepHostClock(-30 * second);
  await one.round();
  await one.round();
  one.share.isMine = false;
  const left = one.leave();
  await one.round();
  answer.give(await usual());
  await left;
  expect([await cursorMs(), await seconds()]).toEqual([30 * second, 60]);
  twitch.answer = usual;
  await start().read(minute);
  one.share.isMine = true;
  await one.read(minute);
  expect([await cursorMs(), await seconds()]).toEqual([150 * second, 180]);
});

test('A cursor is put back in a slot that is given up between the step of the clock and the next round', async () => {
  const { start, seconds, cursorMs } = await setLive();
  const one = start();
  await one.read(minute);
  stepHostClock(-30 * second);
  await one.round();
  one.share.isMine = false;
  await one.leave();
  await one.round();
  expect(await cursorMs()).toBe(30 * second);
  await start().read(minute);
  expect(await seconds()).toBe(120);
});

test('What a process that lost a slot did not put back it does not put back when it has the slot again', async () => {
  const { twitch, streams, channelId, start, seconds, cursorMs } = await setLive();
  const one = start();
  const answer = awaited<{ chatters: Chatter[]; total: number }>();
  const usual = twitch.answer;
  twitch.answer = () => answer.promise;
  passTime(minute);
  await one.round();
  stepHostClock(-30 * second);
  await one.round();
  await one.round();
  one.share.isMine = false;
  answer.give(await usual());
  await one.settle();
  await one.round();
  twitch.answer = usual;
  await streams.offline(channelId, null);
  passTime(10 * minute);
  await streams.online(channelId, 'second', Date.now());
  const two = start();
  await two.read(0);
  const [startMs, counted] = [await cursorMs(), await seconds()];
  one.share.isMine = true;
  await one.read(minute);
  expect([(await cursorMs()) - startMs, (await seconds()) - counted]).toEqual([minute, 60]);
});

test('Who earns in another channel does not earn a minute in one that is given up while it is read', async () => {
  const { twitch, start, rows } = await setLive({ amount: 2, maxChannels: 1 });
  const one = start();
  await one.read(minute);
  await one.read(second);
  await one.read(minute);
  twitch.answer = async () => ({ chatters: crowd(2), total: 2 });
  const [asked, answer] = [awaited<void>(), awaited<void>()];
  one.share.read = slowReader(one.share.read, asked.give, answer.promise);
  passTime(second);
  await one.round();
  await asked.promise;
  one.share.isMine = false;
  await one.round();
  answer.give();
  await one.settle();
  expect((await rows()).filter(({ twitchId }) => twitchId === '90')).toHaveLength(1);
});
