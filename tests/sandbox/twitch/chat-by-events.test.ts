import type { ChatMessageDroppedError } from '@twurple/api';
import { EventSubChannelChatMessageEvent } from '@twurple/eventsub-base';
import { describe, expect, test } from 'vitest';
import { chatDrops } from '#sandbox/twitch/faults.ts';
import { setConduit } from './conduit-stage.ts';
import { apiFor, clientId, seen, startDemo } from './start-demo.ts';

const readerScopes = ['user:read:chat', 'user:bot'];

/** A conduit, a chat account that may read, and the answer to a subscription to the demo streamer's chat. */
async function setChat() {
  const stage = await setConduit();
  const { world, streamer, bot, eventSub, transport } = stage;
  world.removeModerator(streamer.id, bot.id);
  const grant = (userId: string, scopes: readonly string[]) =>
    world.tokens.issue({ clientId, userId, scopes });
  const subscribe = () =>
    eventSub.createSubscription(
      'channel.chat.message',
      '1',
      { broadcaster_user_id: streamer.id, user_id: bot.id },
      transport,
    );
  const lines = () =>
    stage.sockets
      .flatMap(({ messages }) => messages)
      .filter(({ payload }) => payload.subscription?.type === 'channel.chat.message')
      .filter(({ metadata }) => metadata.message_type === 'notification')
      .map(({ payload }) => new EventSubChannelChatMessageEvent(payload.event as never));
  const endings = () =>
    stage.sockets
      .flatMap(({ messages }) => messages)
      .filter(({ metadata }) => metadata.message_type === 'revocation')
      .map(({ payload }) => payload.subscription?.status);
  return { ...stage, grant, subscribe, lines, endings };
}

describe('A chat over a conduit', () => {
  test('needs user:bot of the account, and channel:bot of the broadcaster or a moderator’s role', async () => {
    const { world, streamer, bot, grant, subscribe, eventSub } = await setChat();
    const refused = { statusCode: 403 };
    await expect(subscribe()).rejects.toMatchObject(refused);
    grant(bot.id, ['user:read:chat']);
    grant(streamer.id, ['channel:bot']);
    await expect(subscribe()).rejects.toMatchObject(refused);
    grant(bot.id, ['user:bot']);
    const made = await subscribe();
    await eventSub.deleteSubscription(made.id);
    world.tokens.withdraw(streamer.id, 'channel:bot');
    await expect(subscribe()).rejects.toMatchObject(refused);
    world.addModerator(streamer.id, bot.id);
    const before = await eventSub.getSubscriptions();
    await subscribe();
    const after = await eventSub.getSubscriptions();
    expect(after.total).toBe(before.total + 1);
    // The account's own grant makes it free.
    expect(after.totalCost).toBe(before.totalCost);
  });

  test('carries every line as Twurple reads it, our own with our badges, replies, /me and shared chats too', async () => {
    const { world, streamer, bot, viewer, grant, subscribe, lines } = await setChat();
    grant(bot.id, readerScopes);
    world.addModerator(streamer.id, bot.id);
    await subscribe();
    const first = world.say(streamer.id, viewer.id, 'hello');
    world.say(streamer.id, viewer.id, '@demo_viewer_01 !progress', { replyTo: first });
    world.say(streamer.id, viewer.id, '\u0001ACTION !claim\u0001');
    world.say(streamer.id, viewer.id, '!rewards', { sourceId: viewer.id });
    world.say(streamer.id, bot.id, 'mine');
    await seen(() => lines().length === 5);
    const [plain, reply, action, shared, own] = lines().sort(
      (one, other) =>
        world.chatLog(streamer.id).findIndex(({ id }) => id === one.messageId) -
        world.chatLog(streamer.id).findIndex(({ id }) => id === other.messageId),
    );
    expect(plain).toMatchObject({
      messageId: first.id,
      chatterId: viewer.id,
      messageText: 'hello',
      sourceBroadcasterId: null,
      parentMessageId: null,
    });
    expect(reply?.parentMessageId).toBe(first.id);
    expect(action?.messageText).toBe('\u0001ACTION !claim\u0001');
    expect(shared?.sourceBroadcasterId).toBe(viewer.id);
    expect([own?.chatterId, own?.hasBadge('moderator')]).toEqual([bot.id, true]);
  });

  test('brings lines that were held with the time at which they were written', async () => {
    const { world, streamer, viewer, bot, grant, subscribe, sockets, lines } = await setChat();
    grant(bot.id, readerScopes);
    world.addModerator(streamer.id, bot.id, 'lead_moderator');
    await subscribe();
    world.faults.holdLines();
    const held = world.say(streamer.id, viewer.id, 'hello');
    const saidAtMs = Date.now();
    await seen(() => Date.now() > saidAtMs + 20);
    expect(lines()).toEqual([]);
    world.faults.releaseLines();
    await seen(() => lines().length === 1);
    const [message] = sockets.flatMap(({ messages }) =>
      messages.filter(({ payload }) => (payload.event as { message_id?: string })?.message_id === held.id),
    );
    expect(Date.parse(String(message?.metadata.message_timestamp))).toBeLessThanOrEqual(saidAtMs);
    world.say(streamer.id, bot.id, 'mine');
    await seen(() => lines().length === 2);
    expect(lines().some((line) => line.hasBadge('lead_moderator'))).toBe(true);
  });

  test('ends with its own status when the bot is banned, unmodded, or its owner or the broadcaster disconnects', async () => {
    const { world, streamer, bot, grant, subscribe, endings, eventSub } = await setChat();
    const allow = () => {
      grant(bot.id, readerScopes);
      grant(streamer.id, ['channel:bot']);
    };
    allow();
    await subscribe();
    world.faults.refuseChat(streamer.id, 'msg_banned');
    await seen(() => endings().length === 1);
    await expect(subscribe()).rejects.toMatchObject({ statusCode: 403 });
    world.faults.refuseChat(streamer.id, null);
    await subscribe();
    world.revokeAuthorization(streamer.id);
    await seen(() => endings().length === 2);
    world.addModerator(streamer.id, bot.id);
    await subscribe();
    world.removeModerator(streamer.id, bot.id);
    await seen(() => endings().length === 3);
    allow();
    await subscribe();
    world.revokeAuthorization(bot.id);
    await seen(() => endings().length === 4);
    // They stay on the list until they are deleted.
    const { data } = await eventSub.getSubscriptions();
    const ended = data.filter(({ status }) => status !== 'enabled');
    expect(ended.map(({ status }) => status).sort()).toEqual(endings().sort());
    const { data: revoked } = await eventSub.getSubscriptionsForStatus('authorization_revoked');
    expect(revoked).toHaveLength(2);
    for (const { id } of ended) await eventSub.deleteSubscription(id);
    const { data: left } = await eventSub.getSubscriptions();
    expect(new Set(left.map(({ status }) => status))).toEqual(new Set(['enabled']));
    expect(endings().sort()).toEqual(
      ['authorization_revoked', 'authorization_revoked', 'chat_user_banned', 'moderator_removed'].sort(),
    );
  });
});

describe('Send Chat Message', () => {
  async function setSpeaker() {
    const demo = await startDemo();
    demo.world.removeModerator(demo.streamer.id, demo.bot.id);
    const { api } = await apiFor(demo, demo.bot, ['user:write:chat']);
    const say = (text: string) =>
      api.asUser(demo.bot.id, (ctx) => ctx.chat.sendChatMessage(demo.streamer.id, text));
    const codeOf = (text: string) =>
      say(text).then(
        () => null,
        (error: ChatMessageDroppedError & { statusCode?: number }) => error.code ?? error.statusCode,
      );
    return { ...demo, say, codeOf };
  }

  test('drops a repeated line and one that comes too soon, and says why', async () => {
    const { world, streamer, codeOf } = await setSpeaker();
    expect(await codeOf('one')).toBeNull();
    expect(await codeOf('one')).toBe('msg_duplicate');
    expect(await codeOf('two')).toBe('msg_ratelimit');
    expect(world.chatLog(streamer.id).map(({ text }) => text)).toEqual(['one']);
  });

  test('refuses who is banned, and names a chat’s settings', async () => {
    const { world, streamer, codeOf } = await setSpeaker();
    world.faults.refuseChat(streamer.id, 'msg_banned');
    expect(await codeOf('one')).toBe(403);
    world.faults.refuseChat(streamer.id, 'msg_subsonly');
    expect(await codeOf('one')).toBe('channel_settings');
    world.faults.refuseChat(streamer.id, 'msg_timedout');
    expect(await codeOf('one')).toBe('user_timed_out');
  });

  test.each(Object.keys(chatDrops) as (keyof typeof chatDrops)[])(
    'drops a line on demand: %s',
    async (reason) => {
      const { world, codeOf } = await setSpeaker();
      world.faults.dropNextLine(reason);
      expect(world.faults.pending().droppedLines).toBe(1);
      expect(await codeOf('one')).toBe(reason);
      expect(await codeOf('two')).toBeNull();
    },
  );
});
