import { describe, expect, test } from 'vitest';
import { ircScopes } from '#domain/identity/twitch/twitch-scopes.ts';
import { second } from '#domain/kernel/time.ts';
import { allChatScopes, setCarriers, settled } from '#tests/bot/twitch/chat-carriers-stage.ts';
import { until } from '#tests/bot/twitch/stage.ts';
import { skippableTime } from '#tests/support/passing-time.ts';

/** A room that shares its chat with a channel of somebody else's, and one more that shares it with nobody. */
async function setShared(options: { maxChats: number; scopes: readonly string[]; allowsBot?: boolean }) {
  const { maxChats, scopes, allowsBot = true } = options;
  const stage = await setCarriers({ maxChats, scopes, reply: ({ text }) => `answer to ${text}` });
  const [room, alone] = [stage.addRoom(allowsBot), stage.addRoom(allowsBot)];
  const guest = stage.world.addUser({ login: 'demo_guest' });
  const viewer = stage.world.addUser({ login: 'demo_talker' });
  stage.world.sharedChats.begin(room.channelId, [guest.id], Date.now());
  stage.setRooms([room, alone]);
  await settled(stage.chats, 'in 2 of 2 channels');
  return {
    ...stage,
    ...skippableTime(),
    room,
    guest,
    ask: (channelId: string, text: string) => stage.world.say(channelId, viewer.id, text),
    /** Waits until the other room is answered, and thus this one if it is at all. */
    async askAlone(text: string) {
      stage.world.say(alone.channelId, viewer.id, text);
      await until(
        () => stage.said(alone.channelId),
        (lines) => lines.includes(`answer to ${text}`),
      );
    },
  };
}

describe('In a chat that other channels share', () => {
  test.each([
    ['by events', { maxChats: 0, scopes: allChatScopes }],
    ['over IRC, if the streamer lets the bot in', { maxChats: 100, scopes: allChatScopes }],
  ])('a line shows in the channel that it is for alone: %s', async (_how, options) => {
    const { room, guest, ask, said } = await setShared(options);
    ask(room.channelId, '!rewards');
    await until(
      () => said(room.channelId),
      (lines) => lines.length > 0,
    );
    expect(said(room.channelId)).toEqual(['answer to !rewards']);
    expect(said(guest.id)).toEqual([]);
  });

  test.each([
    ['the account has not granted it', { maxChats: 100, scopes: ircScopes }],
    ['the streamer has not allowed it', { maxChats: 100, scopes: allChatScopes, allowsBot: false }],
  ])('nothing is said while %s, and again once the chat is shared no more', async (_why, options) => {
    const { world, room, guest, ask, askAlone, said, faults, skip } = await setShared(options);
    ask(room.channelId, '!rewards');
    await askAlone('!progress');
    expect([said(room.channelId), said(guest.id), faults.size]).toEqual([[], [], 0]);
    world.sharedChats.end(guest.id);
    skip(10 * second);
    await until(
      () => {
        ask(room.channelId, '!claim');
        return said(room.channelId);
      },
      (lines) => lines.length > 0,
      20_000,
    );
    expect(said(guest.id)).toEqual([]);
  });

  test('nothing is said over IRC until Twitch has said whether it is shared', async () => {
    const { world, room, ask, said, skip } = await setShared({ maxChats: 100, scopes: ircScopes });
    world.sharedChats.end(room.channelId);
    for (let times = 0; times < 5; times += 1)
      world.faults.failNext({ method: 'GET', path: '/mock/shared_chat/session', answer: 503 });
    ask(room.channelId, '!rewards');
    let skips = 0;
    await until(
      () => {
        // Twitch is asked again; then the account's lease has to be renewed, which a clock that runs on would end at once.
        if (skips < 5) skip(10 * second);
        skips += 1;
        ask(room.channelId, '!progress');
        return said(room.channelId);
      },
      (lines) => lines.length > 0,
    );
    expect(said(room.channelId)).not.toContain('answer to !rewards');
  });
});
