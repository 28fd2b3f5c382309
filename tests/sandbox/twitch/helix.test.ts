import { describe, expect, test } from 'vitest';
import { apiFor, clientId, startDemo, userNamed } from './start-demo.ts';

const chatterScopes = ['moderator:read:chatters'];

describe('Helix with @twurple/api', () => {
  test('pages through 2,500 chatters without duplicates or gaps', async () => {
    const demo = await startDemo();
    demo.world.addChatters(demo.streamer.id, 2500);
    const { api } = await apiFor(demo, demo.streamer, chatterScopes);
    const request = api.chat.getChattersPaginated(demo.streamer.id);
    const all = await request.getAll();
    expect(await request.getTotalCount()).toBe(2500);
    expect(new Set(all.map((chatter) => chatter.userId)).size).toBe(2500);
    const first = await api.chat.getChatters(demo.streamer.id, { limit: 1000 });
    expect(first.data).toHaveLength(1000);
    expect(first.cursor).toBeTruthy();
  });

  test('returns chatters to the broadcaster and moderators only, and only with the scope', async () => {
    const demo = await startDemo();
    const moderator = await apiFor(demo, demo.bot, chatterScopes);
    const asBot = await moderator.api.asUser(demo.bot.id, (ctx) => ctx.chat.getChatters(demo.streamer.id));
    expect(asBot.total).toBe(0);
    const stranger = await apiFor(demo, demo.viewer, chatterScopes);
    await expect(
      stranger.api.asUser(demo.viewer.id, (ctx) => ctx.chat.getChatters(demo.streamer.id)),
    ).rejects.toMatchObject({ statusCode: 403 });
    const { accessToken } = await apiFor(demo, demo.streamer, []);
    const answer = await fetch(
      `${demo.url}/mock/chat/chatters?broadcaster_id=${demo.streamer.id}&moderator_id=${demo.streamer.id}`,
      { headers: { authorization: `Bearer ${accessToken}`, 'client-id': clientId } },
    );
    expect(answer.status).toBe(401);
    expect(await answer.json()).toMatchObject({ message: 'Missing scope: moderator:read:chatters' });
  });

  test('returns users, streams, channels and games', async () => {
    const demo = await startDemo();
    const { world, streamer, viewer } = demo;
    const { api } = await apiFor(demo, viewer, ['user:read:email']);
    const self = await api.users.getAuthenticatedUser(viewer.id);
    expect(self).toMatchObject({ id: viewer.id, email: 'demo_viewer_01@example.org' });
    const named = await api.users.getUsersByNames(['demo_streamer', 'nobody_here', 'demo_viewer_02']);
    expect(named.map((user) => user.name)).toEqual(['demo_streamer', 'demo_viewer_02']);
    expect(await api.streams.getStreamByUserId(streamer.id)).toBeNull();
    const { id } = world.goLive(streamer.id, { title: 'Demo title', gameName: 'Counter-Strike' });
    expect(await api.streams.getStreamByUserId(streamer.id)).toMatchObject({
      id,
      gameName: 'Counter-Strike',
      startDate: new Date(world.now()),
      type: 'live',
    });
    expect(await api.channels.getChannelInfoById(streamer.id)).toMatchObject({
      title: 'Demo title',
      gameId: '32399',
    });
    expect((await api.games.getGameByName('Counter-Strike'))?.id).toBe('32399');
  });

  test('returns follow dates to the broadcaster and only the total to others', async () => {
    const demo = await startDemo();
    const { api } = await apiFor(demo, demo.streamer, ['moderator:read:followers']);
    const one = await api.channels.getChannelFollowers(demo.streamer.id, demo.viewer.id);
    expect(one.data[0]?.followDate.getTime()).toBe(demo.world.now() - 1200 * 86_400_000);
    const none = await api.channels.getChannelFollowers(
      demo.streamer.id,
      userNamed(demo.world, 'demo_viewer_12').id,
    );
    expect(none.data).toEqual([]);
    expect(await api.channels.getChannelFollowersPaginated(demo.streamer.id).getAll()).toHaveLength(11);
    const { accessToken } = await apiFor(demo, demo.viewer, []);
    const answer = await fetch(`${demo.url}/mock/channels/followers?broadcaster_id=${demo.streamer.id}`, {
      headers: { authorization: `Bearer ${accessToken}`, 'client-id': clientId },
    });
    expect(await answer.json()).toEqual({ total: 11, data: [], pagination: {} });
  });

  test('returns subscriptions and their tiers', async () => {
    const demo = await startDemo();
    demo.world.subscribe(demo.streamer.id, demo.viewer.id, '2000');
    const { api } = await apiFor(demo, demo.streamer, ['channel:read:subscriptions']);
    const sub = await api.subscriptions.getSubscriptionForUser(demo.streamer.id, demo.viewer.id);
    expect(sub).toMatchObject({ tier: '2000', userName: 'demo_viewer_01' });
    expect(await api.subscriptions.getSubscriptionForUser(demo.streamer.id, demo.bot.id)).toBeNull();
    const own = await apiFor(demo, demo.viewer, ['user:read:subscriptions']);
    expect(await own.api.subscriptions.checkUserSubscription(demo.viewer.id, demo.streamer.id)).toMatchObject(
      {
        tier: '2000',
      },
    );
    demo.world.unsubscribe(demo.streamer.id, demo.viewer.id);
    expect(await own.api.subscriptions.checkUserSubscription(demo.viewer.id, demo.streamer.id)).toBeNull();
  });

  test('creates a custom reward, shows its redemption and refunds it once', async () => {
    const demo = await startDemo();
    const { world, streamer, viewer } = demo;
    const { api } = await apiFor(demo, streamer, ['channel:manage:redemptions']);
    const reward = await api.channelPoints.createCustomReward(streamer.id, {
      title: 'Demo reward',
      cost: 500,
    });
    await expect(
      api.channelPoints.createCustomReward(streamer.id, { title: 'Demo reward', cost: 500 }),
    ).rejects.toMatchObject({ statusCode: 400 });
    const made = world.redeem(streamer.id, viewer.id, reward.id);
    if (!made.ok) throw new Error(made.code);
    const open = await api.channelPoints.getRedemptionsForBroadcaster(
      streamer.id,
      reward.id,
      'UNFULFILLED',
      {},
    );
    expect(open.data.map((one) => [one.id, one.userId])).toEqual([[made.redemption.id, viewer.id]]);
    const refund = () =>
      api.channelPoints.updateRedemptionStatusByIds(streamer.id, reward.id, [made.redemption.id], 'CANCELED');
    expect((await refund())[0]?.isCanceled).toBe(true);
    await expect(refund()).rejects.toMatchObject({ statusCode: 404 });
    await api.channelPoints.deleteCustomReward(streamer.id, reward.id);
    expect(await api.channelPoints.getCustomRewards(streamer.id)).toEqual([]);
    const plain = userNamed(world, 'demo_viewer_02');
    const viewerApi = await apiFor(demo, plain, ['channel:manage:redemptions']);
    await expect(
      viewerApi.api.channelPoints.createCustomReward(plain.id, { title: 'No', cost: 1 }),
    ).rejects.toMatchObject({ statusCode: 403 });
  });

  test('sends a chat message for the token’s user', async () => {
    const demo = await startDemo();
    const { api } = await apiFor(demo, demo.bot, ['user:write:chat']);
    await api.asUser(demo.bot.id, (ctx) => ctx.chat.sendChatMessage(demo.streamer.id, 'hello all'));
    expect(demo.world.chatLog(demo.streamer.id).map((line) => [line.userId, line.text])).toEqual([
      [demo.bot.id, 'hello all'],
    ]);
  });

  test('counts requests per token and refuses the 801st in a minute', async () => {
    const demo = await startDemo();
    const { accessToken } = await apiFor(demo, demo.viewer, []);
    const ask = () =>
      fetch(`http://127.0.0.1:${demo.port}/mock/users`, {
        headers: { authorization: `Bearer ${accessToken}`, 'client-id': clientId },
      });
    const first = await ask();
    expect(first.headers.get('ratelimit-limit')).toBe('800');
    expect(first.headers.get('ratelimit-remaining')).toBe('799');
    let refused: Response | null = null;
    for (let count = 0; count < 1200 && !refused; count += 1) {
      const answer = await ask();
      if (answer.status === 429) refused = answer;
      else await answer.text();
    }
    expect(refused?.headers.get('ratelimit-remaining')).toBe('0');
    expect(Number(refused?.headers.get('ratelimit-reset'))).toBeGreaterThan(Date.now() / 1000);
    const other = await apiFor(demo, demo.bot, []);
    expect((await other.api.users.getUserById(demo.bot.id))?.name).toBe('keepsake_demo_bot');
  });
});

describe('request faults', () => {
  const say = (demo: Awaited<ReturnType<typeof startDemo>>, accessToken: string) =>
    fetch(`${demo.url}/mock/chat/messages`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${accessToken}`,
        'client-id': clientId,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ broadcaster_id: demo.streamer.id, sender_id: demo.bot.id, message: 'x' }),
    });

  test.each([401, 403, 500, 503])(
    'answer the next matching request with %i before its effect',
    async (status) => {
      const demo = await startDemo();
      const { accessToken } = await apiFor(demo, demo.bot, ['user:write:chat']);
      demo.world.faults.failNext({ answer: status, path: '/mock/chat', method: 'POST' });
      expect((await fetch(`${demo.url}/auth/revoke`, { method: 'POST' })).status).toBe(400);
      expect((await fetch(`${demo.url}/mock/chat/chatters`)).status).toBe(401);
      expect((await say(demo, accessToken)).status).toBe(status);
      expect(demo.world.chatLog(demo.streamer.id)).toEqual([]);
      expect((await say(demo, accessToken)).status).toBe(200);
    },
  );

  test('answer 429 with the rate limit headers', async () => {
    const demo = await startDemo();
    const { accessToken } = await apiFor(demo, demo.bot, ['user:write:chat']);
    demo.world.faults.failNext({ answer: 429, times: 2 });
    for (let count = 0; count < 2; count += 1) {
      const answer = await say(demo, accessToken);
      expect([answer.status, answer.headers.get('ratelimit-remaining')]).toEqual([429, '0']);
    }
    expect((await say(demo, accessToken)).status).toBe(200);
  });

  test('lose only the answer when ordered after the effect', async () => {
    const demo = await startDemo();
    const { accessToken } = await apiFor(demo, demo.bot, ['user:write:chat']);
    demo.world.faults.failNext({ answer: 500, afterEffect: true });
    expect((await say(demo, accessToken)).status).toBe(500);
    demo.world.faults.failNext({ answer: 'drop', afterEffect: true });
    await expect(say(demo, accessToken)).rejects.toThrow();
    demo.world.faults.failNext({ answer: 'drop' });
    await expect(say(demo, accessToken)).rejects.toThrow();
    expect(demo.world.chatLog(demo.streamer.id)).toHaveLength(2);
  });
});
