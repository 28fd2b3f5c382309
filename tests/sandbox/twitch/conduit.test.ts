import type { ApiClient } from '@twurple/api';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { openSocket, setConduit } from './conduit-stage.ts';
import { apiFor, clientId, seen, userNamed } from './start-demo.ts';

describe('A conduit', () => {
  test('delivers to its shards in turn, over the application’s subscriptions', async () => {
    const { world, streamer, sockets, received, eventSub, statuses, conduit } = await setConduit();
    expect(await statuses()).toEqual(['enabled', 'enabled']);
    world.goLive(streamer.id);
    world.goOffline(streamer.id);
    await seen(() => received().length === 2);
    expect(sockets.map(({ types }) => types().length)).toEqual([1, 1]);
    const { data, total, maxTotalCost } = await eventSub.getSubscriptions();
    expect({ total, maxTotalCost }).toEqual({ total: 2, maxTotalCost: 10_000 });
    expect(data.map((one) => one._transport)).toEqual([
      { method: 'conduit', conduit_id: conduit.id },
      { method: 'conduit', conduit_id: conduit.id },
    ]);
  });

  test('uses another shard when a socket is closed, and returns to the first with a new socket', async () => {
    const { world, port, streamer, sockets, received, statuses, eventSub, conduit } = await setConduit();
    world.faults.strike('eventSubDropShard');
    await expect.poll(statuses).toEqual(['websocket_disconnected', 'enabled']);
    world.goLive(streamer.id);
    world.goOffline(streamer.id);
    await seen(() => received().length === 2);
    expect(sockets[1]?.types()).toEqual(['stream.online', 'stream.offline']);
    const other = await openSocket(port);
    const transport = { method: 'websocket' as const, session_id: other.session };
    await eventSub.updateConduitShards(conduit.id, [{ id: '0', transport }]);
    expect(await statuses()).toEqual(['enabled', 'enabled']);
    world.goLive(streamer.id);
    world.goOffline(streamer.id);
    await seen(() => other.types().length > 0);
  });

  test('keeps its subscriptions when all shards are disabled, and loses events meanwhile', async () => {
    const { world, port, streamer, statuses, eventSub, conduit } = await setConduit();
    world.faults.strike('eventSubDrop');
    await expect.poll(statuses).toEqual(['websocket_disconnected', 'websocket_disconnected']);
    world.goLive(streamer.id);
    expect((await eventSub.getSubscriptions()).total).toBe(2);
    const other = await openSocket(port);
    const transport = { method: 'websocket' as const, session_id: other.session };
    await eventSub.updateConduitShards(conduit.id, [{ id: '1', transport }]);
    world.goOffline(streamer.id);
    await seen(() => other.types().length > 0);
    expect(other.types()).toEqual(['stream.offline']);
  });

  test('follows its sockets when they are asked to reconnect', async () => {
    const { world, streamer, sockets, statuses } = await setConduit();
    world.faults.strike('eventSubReconnect');
    const urls = await seen(() => {
      const asked = sockets.map(
        ({ messages }) => messages.at(-1)?.payload.session as { reconnect_url?: string },
      );
      const found = asked.flatMap((one) => (one?.reconnect_url ? [one.reconnect_url] : []));
      return found.length === 2 ? found : null;
    });
    const next: string[] = [];
    for (const url of urls) {
      const socket = new WebSocket(url);
      onTestFinished(() => socket.terminate());
      socket.on('message', (data) => next.push(JSON.parse(String(data)).metadata.message_type));
    }
    await seen(() => next.length === 2);
    for (const { socket } of sockets) socket.terminate();
    world.goLive(streamer.id);
    await seen(() => next.includes('notification'));
    expect(await statuses()).toEqual(['enabled', 'enabled']);
  });

  test('needs the broadcaster’s grant, and revokes only what depends on it', async () => {
    const { world, streamer, sockets, subscribe, eventSub, viewer } = await setConduit();
    await expect(subscribe('channel.subscribe')).rejects.toMatchObject({ statusCode: 403 });
    world.tokens.issue({ clientId, userId: streamer.id, scopes: ['channel:read:subscriptions'] });
    await subscribe('channel.subscribe');
    await expect(subscribe('channel.subscribe')).rejects.toMatchObject({ statusCode: 409 });
    world.revokeAuthorization(streamer.id);
    const revocation = await seen(() =>
      sockets.flatMap(({ messages }) => messages).find((one) => one.metadata.message_type === 'revocation'),
    );
    expect(revocation.payload.subscription).toMatchObject({
      type: 'channel.subscribe',
      status: 'authorization_revoked',
    });
    world.subscribe(streamer.id, viewer.id);
    const { data } = await eventSub.getSubscriptionsForStatus('enabled');
    expect(data.map(({ type }) => type)).toEqual(['stream.online', 'stream.offline']);
  });

  test('accepts the number of shards in the query and in the body, up to five conduits', async () => {
    const { application, eventSub, conduit } = await setConduit();
    await application.callApi({
      type: 'helix',
      url: 'eventsub/conduits',
      method: 'POST',
      jsonBody: { shard_count: 3 },
    });
    await application.callApi({
      type: 'helix',
      url: 'eventsub/conduits',
      method: 'PATCH',
      jsonBody: { id: conduit.id, shard_count: 4 },
    });
    expect((await eventSub.getConduits()).map(({ shardCount }) => shardCount)).toEqual([4, 3]);
    for (let more = 0; more < 3; more += 1) await eventSub.createConduit(1);
    await expect(eventSub.createConduit(1)).rejects.toMatchObject({ statusCode: 429 });
    await expect(eventSub.createConduit(0)).rejects.toMatchObject({ statusCode: 400 });
    await eventSub.deleteConduit(conduit.id);
    expect((await eventSub.getSubscriptions()).total).toBe(0);
    await expect(eventSub.getConduitShards(conduit.id)).rejects.toMatchObject({ statusCode: 404 });
  });

  test('belongs to its application only, and lists the shards that it refused', async () => {
    const demo = await setConduit();
    const { application, conduit, eventSub, transport } = demo;
    const { api } = await apiFor(demo, demo.streamer, []);
    const asUser = (run: (client: Pick<ApiClient, 'callApi'>) => Promise<unknown>) =>
      api.asUser(demo.streamer.id, run);
    await expect(
      asUser((client) => client.callApi({ type: 'helix', url: 'eventsub/conduits' })),
    ).rejects.toMatchObject({ statusCode: 401 });
    const answer = await application.callApi({
      type: 'helix',
      url: 'eventsub/conduits/shards',
      method: 'PATCH',
      jsonBody: {
        conduit_id: conduit.id,
        shards: [
          { id: '7', transport: { method: 'websocket', session_id: demo.sockets[0]?.session } },
          { id: '0', transport: { method: 'websocket', session_id: 'gone' } },
        ],
      },
    });
    expect(answer).toMatchObject({ data: [], errors: [{ id: '7' }, { id: '0' }] });
    const other = { ...transport, conduit_id: 'another' };
    await expect(
      eventSub.createSubscription(
        'stream.online',
        '1',
        { broadcaster_user_id: userNamed(demo.world, 'demo_viewer_01').id },
        other,
      ),
    ).rejects.toMatchObject({ statusCode: 404 });
  });
});

describe('Delayed events', () => {
  test('arrive after the one that follows them, with their original times', async () => {
    const { world, streamer, sockets, received } = await setConduit();
    world.faults.delayNextEvent();
    world.goLive(streamer.id);
    expect(world.faults.pending().lateEvents).toBe(0);
    const before = Date.now();
    await expect.poll(() => Date.now()).toBeGreaterThan(before);
    world.goOffline(streamer.id);
    await seen(() => received().length === 2);
    const sent = sockets
      .flatMap(({ messages }) => messages)
      .filter(({ metadata }) => metadata.message_type === 'notification')
      .map((one) => [one.payload.subscription?.type, Date.parse(one.metadata.message_timestamp)] as const);
    const at = Object.fromEntries(sent);
    expect(at['stream.online']).toBeLessThanOrEqual(before);
    expect(at['stream.offline']).toBeGreaterThan(before);
  });
});
