import { EventSubWsListener } from '@twurple/eventsub-ws';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { apiFor, seen, startDemo } from './start-demo.ts';

const scopes = ['moderator:read:followers', 'channel:read:subscriptions', 'channel:manage:redemptions'];

async function listen() {
  const demo = await startDemo();
  const { api, accessToken } = await apiFor(demo, demo.streamer, scopes);
  const listener = new EventSubWsListener({ apiClient: api, logger: { minLevel: 'critical' } });
  onTestFinished(() => listener.stop());
  const { id } = demo.streamer;
  const received: string[] = [];
  const revoked: string[] = [];
  listener.onRevoke((subscription, status) => revoked.push(`${subscription.id} ${status}`));
  listener.onStreamOnline(id, (event) => received.push(`online ${event.id} ${event.type}`));
  listener.onStreamOffline(id, (event) => received.push(`offline ${event.broadcasterName}`));
  listener.onChannelFollow(id, id, (event) => received.push(`follow ${event.userName}`));
  listener.onChannelSubscription(id, (event) => received.push(`sub ${event.userName} ${event.tier}`));
  listener.onChannelSubscriptionEnd(id, (event) => received.push(`subEnd ${event.userName}`));
  listener.onChannelRedemptionAdd(id, (event) =>
    received.push(`redeem ${event.rewardTitle} ${event.status}`),
  );
  const made = { count: 0 };
  listener.onSubscriptionCreateSuccess(() => {
    made.count += 1;
  });
  listener.start();
  const ready = async (count: number) => seen(() => made.count >= count);
  await ready(6);
  const total = async () => (await api.asUser(id, (ctx) => ctx.eventSub.getSubscriptions())).total;
  return { ...demo, api, accessToken, listener, received, revoked, made, ready, total };
}

describe('EventSub with EventSubWsListener', () => {
  test('delivers the channel’s events', async () => {
    const { world, streamer, bot, viewer, received, api } = await listen();
    const stream = world.goLive(streamer.id, { title: 'Demo', gameName: 'Rust' });
    world.goOffline(streamer.id);
    world.follow(streamer.id, bot.id);
    world.subscribe(streamer.id, viewer.id, '3000');
    world.unsubscribe(streamer.id, viewer.id);
    const reward = await api.channelPoints.createCustomReward(streamer.id, { title: 'Demo', cost: 5 });
    world.redeem(streamer.id, viewer.id, reward.id);
    await seen(() => received.length === 6);
    expect(received).toEqual([
      `online ${stream.id} live`,
      'offline demo_streamer',
      'follow keepsake_demo_bot',
      'sub demo_viewer_01 3000',
      'subEnd demo_viewer_01',
      'redeem Demo unfulfilled',
    ]);
  });

  test('distinguishes gifts, their recipients and resubscriptions', async () => {
    const { world, streamer, viewer, listener, received, made } = await listen();
    const { id } = streamer;
    listener.onChannelSubscriptionGift(id, (event) =>
      received.push(`gift ${event.gifterId} ${event.amount}`),
    );
    listener.onChannelSubscriptionMessage(id, (event) =>
      received.push(`again ${event.userName} ${event.tier}`),
    );
    await seen(() => made.count === 8);
    world.subscribe(id, viewer.id, '2000', true);
    world.resubscribe(id, viewer.id);
    await seen(() => received.length === 3);
    expect(received).toEqual(['sub demo_viewer_01 2000', 'gift null 1', 'again demo_viewer_01 2000']);
    expect(() => world.resubscribe(id, streamer.id)).toThrow('Only a subscriber');
  });

  test('moves to a new socket on session_reconnect and keeps its subscriptions', async () => {
    const { world, streamer, listener, received, made, total } = await listen();
    const sockets: string[] = [];
    listener.onUserSocketReady((_user, session) => sockets.push(session));
    world.faults.strike('eventSubReconnect');
    await seen(() => sockets.length === 1);
    expect(await total()).toBe(6);
    world.goLive(streamer.id);
    await seen(() => received.length === 1);
    expect(made.count).toBe(6);
  });

  test('recovers from a hard drop by subscribing again', async () => {
    const { world, streamer, received, ready, total } = await listen();
    world.faults.strike('eventSubDrop');
    world.goLive(streamer.id);
    await ready(12);
    expect(await total()).toBe(6);
    world.goOffline(streamer.id);
    await seen(() => received.length > 0);
    expect(received).toEqual(['offline demo_streamer']);
  });

  test('detects a half-open socket by its missing keepalive', async () => {
    const { world, streamer, received, ready } = await listen();
    world.faults.strike('eventSubHalfOpen');
    world.goLive(streamer.id);
    await ready(12);
    world.goOffline(streamer.id);
    await seen(() => received.length > 0);
    expect(received).toEqual(['offline demo_streamer']);
  });

  test('revokes the subscriptions of a user who disconnects the application', async () => {
    const { world, streamer, revoked } = await listen();
    world.revokeAuthorization(streamer.id);
    await seen(() => revoked.length === 6);
    expect(revoked[0]).toContain('authorization_revoked');
  });
});

describe('EventSub on the wire', () => {
  test('closes a socket that sends, and refuses subscriptions on a closed session', async () => {
    const demo = await startDemo();
    const socket = new WebSocket(`ws://localhost:${demo.port}/ws`);
    const session = await new Promise<string>((resolve) => {
      socket.once('message', (data) => resolve(JSON.parse(String(data)).payload.session.id));
    });
    const closed = new Promise<number>((resolve) => socket.once('close', resolve));
    socket.send('hello');
    expect(await closed).toBe(4001);
    const { api } = await apiFor(demo, demo.streamer, []);
    const transport = { method: 'websocket' as const, session_id: session };
    await expect(
      api.eventSub.subscribeToStreamOnlineEvents(demo.streamer.id, transport),
    ).rejects.toMatchObject({ statusCode: 400 });
  });

  test('sends an event twice with one message id on demand', async () => {
    const demo = await startDemo();
    const { id: channel } = demo.streamer;
    const socket = new WebSocket(`ws://127.0.0.1:${demo.port}/ws`);
    onTestFinished(() => socket.close());
    const messages: {
      metadata: { message_id: string; message_type: string };
      payload: { session?: { id: string } };
    }[] = [];
    socket.on('message', (data) => messages.push(JSON.parse(String(data))));
    const session_id = await seen(() => messages[0]?.payload.session?.id);
    const { api } = await apiFor(demo, demo.streamer, []);
    await api.eventSub.subscribeToStreamOnlineEvents(channel, { method: 'websocket', session_id });
    await api.eventSub.subscribeToStreamOfflineEvents(channel, { method: 'websocket', session_id });
    demo.world.faults.duplicateNextEvent();
    demo.world.goLive(channel);
    demo.world.goOffline(channel);
    await seen(() => messages.length === 4);
    const [first, second, third] = messages.slice(1).map((message) => message.metadata.message_id);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
  });

  test('ties a socket to one user, and needs the topic’s scope', async () => {
    const demo = await startDemo();
    const socket = new WebSocket(`ws://127.0.0.1:${demo.port}/ws`);
    onTestFinished(() => socket.close());
    const session = await new Promise<string>((resolve) => {
      socket.once('message', (data) => resolve(JSON.parse(String(data)).payload.session.id));
    });
    const transport = { method: 'websocket' as const, session_id: session };
    const one = await apiFor(demo, demo.streamer, []);
    const channel = demo.streamer.id;
    const subscribeAs = (api: typeof one.api, userId: string) =>
      api.asUser(userId, (ctx) =>
        ctx.eventSub.createSubscription(
          'stream.online',
          '1',
          { broadcaster_user_id: channel },
          transport,
          userId,
        ),
      );
    await subscribeAs(one.api, channel);
    await expect(subscribeAs(one.api, channel)).rejects.toMatchObject({ statusCode: 409 });
    const other = await apiFor(demo, demo.viewer, []);
    await expect(subscribeAs(other.api, demo.viewer.id)).rejects.toMatchObject({ statusCode: 400 });
    await expect(
      one.api.asUser(channel, (ctx) =>
        ctx.eventSub.createSubscription(
          'channel.subscribe',
          '1',
          { broadcaster_user_id: channel },
          transport,
          channel,
        ),
      ),
    ).rejects.toMatchObject({ statusCode: 403 });
  });
});
