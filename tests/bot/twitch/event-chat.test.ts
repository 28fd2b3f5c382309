import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { TIMED_OUT_MS } from '#bot/twitch/chat/chat-notices.ts';
import { chatLimits } from '#bot/twitch/chat/message-queue.ts';
import { hour } from '#domain/kernel/time.ts';
import type { TwitchWorld } from '#sandbox/twitch/world.ts';
import { skippableTime } from '#tests/support/passing-time.ts';
import { setCarriers, settled } from './chat-carriers-stage.ts';
import { until } from './stage.ts';

describe('A chat that is read by events', () => {
  /** One room, on events from the beginning. */
  async function setRoom(reply?: Parameters<typeof setCarriers>[0]) {
    const stage = await setCarriers({ maxChats: 0, ...reply });
    const [room, other] = [stage.addRoom(), stage.addRoom()];
    stage.setRooms([room, other]);
    await settled(stage.chats, 'in 2 of 2 channels');
    const viewer = stage.world.addUser({ login: 'demo_talker', displayName: 'Demo_Talker' });
    return {
      ...stage,
      ...room,
      viewer,
      ...skippableTime(),
      /** Waits until the other room is answered, and thus this one if it is at all. */
      async settleLines() {
        const before = stage.said(other.channelId).length;
        stage.world.say(other.channelId, viewer.id, '!rewards');
        await until(
          () => stage.said(other.channelId).length,
          (count) => count > before,
        );
      },
    };
  }

  test('brings commands as IRC does: replies, /me, invisible characters, each line once and only of its own room', async () => {
    const { world, received, channelId, login, viewer, addRoom } = await setRoom();
    const elsewhere = addRoom();
    const first = world.say(channelId, viewer.id, 'hello there');
    world.faults.duplicateNextEvent();
    world.say(channelId, viewer.id, '@demo_talker !progress', { replyTo: first });
    world.say(channelId, viewer.id, '\u0001ACTION !claim\u0001');
    world.say(channelId, viewer.id, '!rewards', { sourceId: elsewhere.channelId });
    world.say(channelId, viewer.id, '!watchtime', { sourceId: channelId });
    world.say(channelId, viewer.id, '');
    const last = world.say(channelId, viewer.id, '\u{e0000}!rewards \u034f');
    await until(
      () => received.length,
      (count) => count >= 4,
    );
    expect(received.map(({ text }) => text).sort()).toEqual([
      '!claim',
      '!progress',
      '!rewards',
      '!watchtime',
    ]);
    expect(received.find(({ id }) => id === last.id)).toEqual({
      id: last.id,
      channelId,
      channelLogin: login,
      twitchId: viewer.id,
      login: 'demo_talker',
      displayName: 'Demo_Talker',
      text: '!rewards',
      sentAtMs: expect.any(Number),
    });
  });

  test('has its last line written before the process stops', async () => {
    const { world, said, stop, channelId, viewer } = await setRoom({ reply: () => 'an answer' });
    const ends: string[] = [];
    const { fetch } = globalThis;
    const isAsked = new Promise<void>((resolve) => {
      vi.spyOn(globalThis, 'fetch').mockImplementation(async (...request) => {
        if (!String(request[0]).includes('chat/messages')) return fetch(...request);
        resolve();
        // Twitch takes its time.
        await new Promise((end) => setTimeout(end, 300));
        return fetch(...request).finally(() => ends.push('written'));
      });
    });
    onTestFinished(() => void vi.restoreAllMocks());
    world.say(channelId, viewer.id, '!rewards');
    await isAsked;
    await stop();
    ends.push('stopped');
    expect([ends, said(channelId)]).toEqual([['written', 'stopped'], ['an answer']]);
  });

  test('brings the commands that a viewer writes with a resubscription or an announcement', async () => {
    const { world, received, channelId, viewer, addRoom } = await setRoom();
    const elsewhere = addRoom();
    world.say(channelId, viewer.id, '!claim', { notice: 'resub', sourceId: elsewhere.channelId });
    await until(
      () => {
        world.say(channelId, viewer.id, '!progress', { notice: 'resub' });
        world.say(channelId, viewer.id, '!rewards', { notice: 'announcement' });
        return new Set(received.map(({ text }) => text));
      },
      (texts) => texts.size === 2,
    );
    expect(received[0]).toMatchObject({ channelId, twitchId: viewer.id, displayName: 'Demo_Talker' });
    expect(received.map(({ text }) => text)).not.toContain('!claim');
  });

  test('is answered by Send Chat Message, a dropped line once more and otherwise worded', async () => {
    const { world, channelId, viewer, said, faults } = await setRoom({ reply: () => 'an answer' });
    world.faults.dropNextLine('msg_duplicate');
    world.say(channelId, viewer.id, '!rewards');
    await until(
      () => said(channelId),
      (lines) => lines.length === 1,
    );
    expect(said(channelId)).toEqual(['an answer \u034f']);
    expect(faults.size).toBe(0);
  });

  test('reaches everybody who asks the same within half a minute', async () => {
    const { world, channelId, viewer, said, faults } = await setRoom({ reply: () => 'an answer' });
    for (let asked = 0; asked < 4; asked++) world.say(channelId, viewer.id, '!rewards');
    await until(
      () => said(channelId),
      (lines) => lines.length === 4,
    );
    expect(new Set(said(channelId)).size).toBe(4);
    expect(faults.size).toBe(0);
  });

  test('is answered though Twitch gives no token just then, because one was fetched before', async () => {
    const { world, channelId, viewer, said } = await setRoom({ reply: () => 'an answer' });
    world.faults.failNext({ method: 'POST', path: '/auth/token', answer: 500, times: 100 });
    world.say(channelId, viewer.id, '!rewards');
    await until(
      () => said(channelId),
      (lines) => lines.length === 1,
      5000,
    );
  });

  test.each([
    ['msg_rejected', 'restricted'],
    ['channel_settings', 'restricted'],
    ['user_warned', 'restricted'],
    ['msg_ratelimit', 'tooFast'],
  ] as const)('says what is the matter when Twitch drops lines: %s', async (reason, fault) => {
    const { world, channelId, viewer, said, faults } = await setRoom({ reply: () => 'an answer' });
    world.faults.dropNextLine(reason, 2);
    world.say(channelId, viewer.id, '!rewards');
    await until(
      () => faults.get(channelId),
      (recorded) => recorded === fault,
    );
    expect(said(channelId)).toEqual([]);
  });

  test('does not say again what may have been said, and is not received by itself', async () => {
    const reply = ({ text }: { text: string }) => `!answer to ${text}`;
    const { world, channelId, viewer, said, received, faults } = await setRoom({ reply });
    world.faults.failNext({ method: 'POST', path: '/mock/chat/messages', answer: 500, afterEffect: true });
    world.say(channelId, viewer.id, '!rewards');
    await until(
      () => said(channelId),
      (lines) => lines.length === 1,
    );
    world.say(channelId, viewer.id, '!progress');
    await until(
      () => said(channelId),
      (lines) => lines.length === 2,
    );
    expect(said(channelId)).toEqual(['!answer to !rewards', '!answer to !progress']);
    expect(received.map(({ text }) => text)).toEqual(['!rewards', '!progress']);
    expect(faults.size).toBe(0);
  });

  test.each([
    [403, 'banned'],
    [404, 'suspended'],
  ] as const)('tells why a line meets a %d, and says nothing for a while', async (answer, fault) => {
    const { world, channelId, viewer, said, faults, skip, settleLines } = await setRoom({
      reply: () => 'an answer',
    });
    world.faults.failNext({ method: 'POST', path: '/mock/chat/messages', answer });
    world.say(channelId, viewer.id, '!rewards');
    const recorded = await until(
      () => faults.get(channelId),
      (now) => now !== undefined,
      5000,
    );
    expect(recorded).toBe(fault);
    skip(chatLimits.gapMs);
    world.say(channelId, viewer.id, '!progress');
    await settleLines();
    expect([said(channelId), faults.get(channelId)]).toEqual([[], fault]);
  });

  test.each([
    [
      'while the bot is timed out',
      ({ faults }: TwitchWorld, id: string) => faults.refuseChat(id, 'msg_timedout'),
    ],
    [
      'for a minute after one refusal',
      ({ faults }: TwitchWorld) =>
        faults.failNext({ method: 'POST', path: '/mock/chat/messages', answer: 403 }),
    ],
  ])('says nothing %s, and the first line that is taken ends the trouble', async (_when, refuse) => {
    const { world, channelId, viewer, said, faults, skip, settleLines } = await setRoom({
      reply: () => 'an answer',
    });
    refuse(world, channelId);
    world.say(channelId, viewer.id, '!rewards');
    const fault = await until(
      () => faults.get(channelId),
      (recorded) => recorded !== undefined,
    );
    expect(fault).toBe('banned');
    world.faults.refuseChat(channelId, null);
    skip(chatLimits.gapMs);
    world.say(channelId, viewer.id, '!progress');
    await settleLines();
    expect([said(channelId), faults.get(channelId)]).toEqual([[], 'banned']);
    skip(TIMED_OUT_MS);
    // Its lease has expired meanwhile and is renewed.
    await until(
      () => {
        world.say(channelId, viewer.id, '!watchtime');
        return said(channelId).length;
      },
      (count) => count > 0,
    );
    await until(
      () => faults.get(channelId),
      (recorded) => recorded === null,
    );
  });

  test('is read again once a ban is over, and nothing more is the matter', async () => {
    const { world, chats, channelId, faults, skip } = await setRoom();
    world.faults.refuseChat(channelId, 'msg_banned');
    await until(
      () => faults.get(channelId),
      (recorded) => recorded === 'banned',
    );
    world.faults.refuseChat(channelId, null);
    // Twitch is asked again an hour after a ban.
    skip(hour);
    await settled(chats, 'in 2 of 2 channels');
    await until(
      () => faults.get(channelId),
      (recorded) => recorded === null,
    );
  });

  test.each(['moderator', 'lead_moderator'] as const)(
    'is faster once our own lines show: %s',
    async (role) => {
      const { world, ours, channelId, viewer, said } = await setRoom({
        reply: ({ id }) => `answer to ${id}`,
      });
      world.addModerator(channelId, ours.id, role);
      world.say(channelId, viewer.id, '!rewards');
      await until(
        () => said(channelId),
        (lines) => lines.length === 1,
      );
      const before = Date.now();
      for (const text of ['!progress', '!claim', '!watchtime']) world.say(channelId, viewer.id, text);
      await until(
        () => said(channelId),
        (lines) => lines.length === 4,
      );
      // As anybody else, three more lines would take 3.3 seconds.
      expect(Date.now() - before).toBeLessThan(2500);
    },
  );
});
