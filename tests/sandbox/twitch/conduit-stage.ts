import type { ApiClient } from '@twurple/api';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { clientId, seen, startDemo } from './start-demo.ts';

interface Message {
  metadata: { message_id: string; message_type: string; message_timestamp: string };
  payload: {
    session?: { id: string };
    subscription?: { id: string; type: string; status: string; transport: Record<string, string> };
    event?: Record<string, unknown>;
  };
}

/** A raw socket and the messages it received. */
export async function openSocket(port: number) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`);
  onTestFinished(() => socket.terminate());
  const messages: Message[] = [];
  socket.on('message', (data) => messages.push(JSON.parse(String(data))));
  const session = await seen(() => messages[0]?.payload.session?.id);
  const types = () =>
    messages.flatMap(({ payload }) => (payload.subscription ? [payload.subscription.type] : []));
  return { socket, session, messages, types };
}

/** The application's own client, with its own token. */
async function applicationOf(demo: Awaited<ReturnType<typeof startDemo>>): Promise<ApiClient> {
  process.env.TWURPLE_MOCK_API_PORT = String(demo.port);
  const { ApiClient } = await import('@twurple/api');
  const { StaticAuthProvider } = await import('@twurple/auth');
  const { accessToken } = demo.world.tokens.issue({ clientId, userId: null, scopes: [] });
  const authProvider = Object.assign(new StaticAuthProvider(clientId, accessToken), {
    getAppAccessToken: async () => ({
      accessToken,
      refreshToken: null,
      scope: [],
      expiresIn: null,
      obtainmentTimestamp: Date.now(),
    }),
    getAnyAccessToken: async () => ({
      accessToken,
      refreshToken: null,
      scope: [],
      expiresIn: null,
      obtainmentTimestamp: Date.now(),
    }),
  });
  return new ApiClient({ authProvider, logger: { minLevel: 'critical' } });
}

/** A conduit with two WebSocket shards that receives the demo streamer's stream events. */
export async function setConduit() {
  const demo = await startDemo();
  const application = await applicationOf(demo);
  const { eventSub } = application;
  const conduit = await eventSub.createConduit(2);
  const sockets = [await openSocket(demo.port), await openSocket(demo.port)];
  await eventSub.updateConduitShards(
    conduit.id,
    sockets.map(({ session }, index) => ({
      id: String(index),
      transport: { method: 'websocket', session_id: session },
    })),
  );
  const transport = { method: 'conduit' as const, conduit_id: conduit.id };
  const subscribe = (type: string, version = '1', more = {}) =>
    eventSub.createSubscription(type, version, { broadcaster_user_id: demo.streamer.id, ...more }, transport);
  await subscribe('stream.online');
  await subscribe('stream.offline');
  const received = () => sockets.flatMap(({ types }) => types());
  const statuses = async () =>
    (await eventSub.getConduitShards(conduit.id)).data.map(({ status }) => String(status));
  return { ...demo, application, eventSub, conduit, sockets, subscribe, received, statuses, transport };
}
