import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { eventApi } from '#bot/twitch/events/event-api.ts';
import { eventsBySockets } from '#bot/twitch/events/event-by-sockets.ts';
import { openEventSocket } from '#bot/twitch/events/event-socket.ts';
import { eventTopics, type Topic } from '#bot/twitch/events/event-topics.ts';
import { minute } from '#domain/kernel/time.ts';
import { givenAlone } from './points-stage.ts';
import { setChannel, setStage, until } from './stage.ts';

const ignored = async () => {};
const topics = eventTopics({
  streams: { online: ignored, offline: ignored, repeat: ignored, catchUp: () => {} },
  follows: { handleFollow: ignored },
  subscribers: { handleSubscription: ignored, catchUp: () => {} },
  redemptions: { handleRedemption: ignored, mayMiss: () => {}, catchUp: () => {} },
});

/** A carrier for one channel with a limit of subscriptions per socket, and its reports. */
async function setCarrier(maxOnASocket: number) {
  const stage = await setStage();
  const { streamer } = await setChannel(stage);
  const { api, log } = givenAlone(stage);
  const reported: string[] = [];
  const carrier = eventsBySockets({
    log,
    api: eventApi(api),
    url: `ws://127.0.0.1:${stage.port}/ws`,
    events: {
      notified: () => {},
      mayMiss: (_channelId, { type }) => reported.push(`misses ${type}`),
      subscribed: (_channelId, { type }) => reported.push(`hears ${type}`),
      permissionRefused: () => {},
      chatRevoked: () => {},
    },
    retryMs: minute,
    maxSubscriptions: maxOnASocket,
  });
  onTestFinished(() => carrier.stop());
  const stayWithin = (wanted: readonly Topic[]) =>
    carrier.setWanted(new Map([[streamer.twitchId, wanted]]), null);
  const received = () => reported.flatMap((line) => (line.startsWith('hears ') ? [line.slice(6)] : []));
  /** Types that were subscribed to, once for each attempt: Twurple may repeat a request that got no answer. */
  const attempted = () => reported.flatMap((line) => (line.startsWith('misses ') ? [line.slice(7)] : []));
  return { ...stage, stayWithin, counts: carrier.counts, attempted, reported, received };
}

test('A socket subscribes up to its limit, and reports that it is not complete', async () => {
  const { stayWithin, counts, attempted, received, world } = await setCarrier(3);
  // A busy machine loses a connection now and then.
  world.faults.failNext({ answer: 'drop', method: 'POST', path: '/eventsub/subscriptions' });
  const types = topics.map(({ type }) => type);
  stayWithin(topics.slice(0, 5));
  await until(received, ({ length }) => length === 3);
  // It is called with the same topics every few seconds.
  stayWithin(topics.slice(0, 5));
  expect(counts()).toEqual({ receiving: 0, wanted: 1, areElsewhere: false });
  stayWithin(topics.slice(0, 3));
  expect(counts()).toEqual({ receiving: 1, wanted: 1, areElsewhere: false });
  // A topic that is no longer wanted makes room.
  stayWithin(topics.slice(2, 5));
  await until(counts, (counted) => counted.receiving === 1);
  expect(received().sort()).toEqual(types.slice(0, 5).sort());
  expect(attempted().sort()).toEqual(types.slice(0, 5).sort());
});

test('Before a topic is subscribed, missed events are announced', async () => {
  const { stayWithin, reported } = await setCarrier(300);
  const wanted = topics.slice(0, 2);
  stayWithin(wanted);
  await until(
    () => reported,
    ({ length }) => length === 4,
  );
  for (const { type } of wanted)
    expect(reported.indexOf(`misses ${type}`)).toBeLessThan(reported.indexOf(`hears ${type}`));
});

test('A socket that Twitch closes soon after each welcome comes back more and more slowly', async () => {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const cameAtMs: number[] = [];
  server.on('connection', (socket) => {
    cameAtMs.push(performance.now());
    const session = { id: `session-${cameAtMs.length}`, keepalive_timeout_seconds: 10 };
    const metadata = {
      message_id: session.id,
      message_type: 'session_welcome',
      message_timestamp: new Date(),
    };
    socket.send(JSON.stringify({ metadata, payload: { session } }));
    socket.close(4003);
  });
  const { port } = server.address() as AddressInfo;
  const socket = openEventSocket(
    { url: `ws://127.0.0.1:${port}`, log: pino({ level: 'silent' }) },
    { welcomed: () => {}, lost: () => {}, notified: () => {}, revoked: () => {} },
  );
  onTestFinished(() => socket.stop());
  const [, , third = 0, fourth = 0] = await until(
    () => cameAtMs,
    ({ length }) => length >= 4,
  );
  // Half of four times the first pause, at least.
  expect(fourth - third).toBeGreaterThan(900);
});
