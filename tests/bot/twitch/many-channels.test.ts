import { pino } from 'pino';
import { afterEach, expect, test, vi } from 'vitest';
import { chatTopicOf } from '#bot/twitch/chat/chat-topic.ts';
import type { ListedSubscription } from '#bot/twitch/events/event-api.ts';
import { knownUnlessChanged, type WantedSubscription } from '#bot/twitch/events/event-carrier.ts';
import type { Revocation } from '#bot/twitch/events/event-message.ts';
import { conduitSubscriptions } from '#bot/twitch/events/event-subscriptions.ts';
import type { Topic } from '#bot/twitch/events/event-topics.ts';
import { eventTopics } from '#bot/twitch/events/event-topics.ts';
import { patienceOf } from '#bot/twitch/pace/paced-client.ts';
import { TokenBucket } from '#bot/twitch/pace/token-bucket.ts';
import { TwitchFault } from '#bot/twitch/twitch-fault.ts';
import { minute, second } from '#domain/kernel/time.ts';

const log = pino({ level: 'silent' });
const noChats = new Map();
afterEach(() => {
  vi.useRealTimers();
});

/** The application's bucket as Twitch keeps it: 800 points, refilling by ten a second. */
function twitchBucket() {
  let points = 800;
  let atMs = Date.now();
  let refused = 0;
  return {
    refused: () => refused,
    async answer(): Promise<Response> {
      await new Promise((resolve) => setTimeout(resolve, 120));
      const nowMs = Date.now();
      points = Math.min(800, points + (nowMs - atMs) / 100);
      atMs = nowMs;
      const isEmpty = points < 1;
      if (isEmpty) refused += 1;
      else points -= 1;
      const fullAtSeconds = Math.ceil((nowMs + (800 - points) * 100) / 1000);
      const headers = {
        'Ratelimit-Limit': '800',
        'Ratelimit-Remaining': String(Math.floor(points)),
        'Ratelimit-Reset': String(fullAtSeconds),
      };
      return new Response(null, { status: isEmpty ? 429 : 200, headers });
    },
  };
}

test.each([
  ['their chats in IRC', 0, { streams: 4, chats: 0, needed: 15, all: 15 }],
  ['all chats by events', 1000, { streams: 4, chats: 6, needed: 15, all: 17 }],
])(
  'After a start with a thousand channels and %s, who is live is read at once and every topic is subscribed in time',
  async (_chats, chatCount, withinMinutes) => {
    vi.useFakeTimers({ now: 1_800_000_000_000 });
    const twitch = twitchBucket();
    const bucket = new TokenBucket(log);
    const startedAtMs = Date.now();
    const topics = eventTopics({ streams: {}, follows: {}, subscribers: {}, redemptions: {} } as never);
    const made = new Map<string, Topic[]>();
    const madeAtMs: Record<string, number> = {};
    const subscriptions = conduitSubscriptions({
      log,
      retryMs: minute,
      events: { notified() {}, mayMiss() {}, subscribed() {}, permissionRefused() {}, chatRevoked() {} },
      api: {
        listOfConduit: async () => [],
        unsubscribeConduit: async () => {},
        async subscribeConduit(channelId, topic) {
          await bucket.spend(
            () => twitch.answer(),
            patienceOf({ url: 'eventsub/subscriptions', method: 'POST' }),
          );
          made.set(channelId, [...(made.get(channelId) ?? []), topic]);
          madeAtMs[topic.type] = Date.now() - startedAtMs;
          return `${channelId} ${topic.type}`;
        },
      },
    });
    const wanted = new Map(Array.from({ length: 1000 }, (_, index) => [String(100_000 + index), topics]));
    const chat = chatTopicOf('8000');
    const chats = new Map([...wanted.keys()].slice(0, chatCount).map((id) => [id, [chat]]));
    const rounds = (async () => {
      do await subscriptions.sync(wanted, chats, 'one');
      while (subscriptions.nextRetryInMs(wanted, chats) === 0);
      return Date.now() - startedAtMs;
    })();
    // Get Streams: ten pages each minute, as the survey asks.
    const waits: number[] = [];
    const polling = (async () => {
      for (let minutes = 0; minutes < 15; minutes += 1) {
        for (let page = 0; page < 10; page += 1) {
          const askedAtMs = Date.now();
          await bucket.spend(() => twitch.answer(), patienceOf({ url: 'streams' }));
          waits.push(Date.now() - askedAtMs);
        }
        await new Promise((resolve) => setTimeout(resolve, minute));
      }
    })();
    await vi.advanceTimersByTimeAsync(20 * minute);
    await polling;
    const doneMs = await rounds;
    const lastOf = (some: readonly Topic[]) =>
      Math.max(...some.map(({ type }) => madeAtMs[type] ?? 0)) / minute;
    const found = {
      streams: lastOf(topics.filter(({ scope }) => scope === null)),
      chats: chatCount === 0 ? 0 : lastOf([chat]),
      // All but those that repeat what others report.
      needed: lastOf([...topics, chat].filter(({ isSpare }) => !isSpare)),
      all: doneMs / minute,
    };
    console.log(JSON.stringify({ channels: 1000, chats: chatCount, minutes: found }));
    const counts = [...made.values()].reduce((sum, some) => sum + some.length, 0);
    expect([made.size, counts]).toEqual([1000, 1000 * topics.length + chatCount]);
    for (const [what, minutes] of Object.entries(withinMinutes))
      expect(found[what as keyof typeof found], what).toBeLessThanOrEqual(minutes);
    // All pages of the first reading, one after another, and any later page.
    expect(waits.slice(0, 10).reduce((sum, waitMs) => sum + waitMs, 0)).toBeLessThan(2 * minute);
    expect(Math.max(...waits)).toBeLessThanOrEqual(2 * second);
    expect(twitch.refused()).toBe(0);
  },
);

test('Topics are looked through only when something about them has changed', async () => {
  const topics = eventTopics({ streams: {}, follows: {}, subscribers: {}, redemptions: {} } as never);
  const asked: string[] = [];
  let listed: ListedSubscription[] = [];
  const subscriptions = conduitSubscriptions({
    log,
    retryMs: minute,
    events: { notified() {}, mayMiss() {}, subscribed() {}, permissionRefused() {}, chatRevoked() {} },
    api: {
      listOfConduit: async () => listed,
      unsubscribeConduit: async (id) => void asked.push(`end ${id}`),
      async subscribeConduit(channelId, topic) {
        asked.push(`${channelId} ${topic.type}`);
        const id = `${channelId} ${topic.type}`;
        const { type, readerId } = topic;
        listed.push({ id, channelId, type, readerId, status: 'enabled' } as ListedSubscription);
        return id;
      },
    },
  });
  const [topic] = topics as [Topic];
  const chats = new Map([['1', [chatTopicOf('8000')]]]);
  const wantedBy = (...channelIds: string[]) => new Map(channelIds.map((id) => [id, [topic]]));
  let wanted: WantedSubscription = wantedBy('1', '2');
  const looked = vi.fn();
  /** Returns the requests of a round to Twitch, and whether it searched the topics. */
  const round = async () => {
    const iterate = wanted[Symbol.iterator].bind(wanted);
    Object.assign(wanted, {
      [Symbol.iterator]() {
        looked();
        return iterate();
      },
    });
    await subscriptions.sync(wanted, chats, 'one');
    const nextMs = subscriptions.nextRetryInMs(wanted, chats);
    const did = { asked: asked.splice(0), looked: looked.mock.calls.length > 0, nextMs };
    looked.mockClear();
    return did;
  };
  const nothing = { asked: [], nextMs: minute };
  const settle = async () => {
    expect(await round()).toEqual({ ...nothing, looked: true });
    expect(subscriptions.areSettled(wanted, chats)).toBe(true);
    expect(await round()).toEqual({ ...nothing, looked: false });
  };
  expect((await round()).asked).toHaveLength(3);
  expect(subscriptions.areSettled(wanted, chats)).toBe(false);
  await settle();
  wanted = knownUnlessChanged(wanted, wantedBy('1', '2'));
  expect(await round()).toEqual({ ...nothing, looked: false });
  wanted = knownUnlessChanged(wanted, wantedBy('1', '3'));
  expect((await round()).asked).toEqual([`end 2 ${topic.type}`, `3 ${topic.type}`]);
  listed = listed.filter(({ channelId }) => channelId !== '2');
  await settle();
  await subscriptions.read('one');
  await settle();
  listed = listed.filter(({ channelId }) => channelId !== '1');
  await subscriptions.read('one');
  expect((await round()).asked).toHaveLength(2);
  await settle();
  const subscriptionId = `3 ${topic.type}`;
  const revoked = {
    subscriptionId,
    type: topic.type,
    channelId: '3',
    readerId: null,
    status: 'version_removed',
  };
  subscriptions.revoked(revoked as unknown as Revocation);
  expect(subscriptions.areSettled(wanted, chats)).toBe(false);
  expect((await round()).looked).toBe(true);
  subscriptions.clear();
  // The revoked one is made again after a pause.
  expect((await round()).asked).toHaveLength(2);
});

test('What is wanted counts as the same only if every topic of every channel is', () => {
  const [topic, other] = eventTopics({ streams: {}, follows: {}, subscribers: {}, redemptions: {} } as never);
  const wanted = (...entries: [string, Topic[]][]): WantedSubscription => new Map(entries);
  const known = wanted(['1', [topic!]], ['2', [chatTopicOf('8000')]]);
  expect(knownUnlessChanged(known, wanted(['2', [chatTopicOf('8000')]], ['1', [topic!]]))).toBe(known);
  for (const next of [
    wanted(['1', [topic!]]),
    wanted(['1', [topic!]], ['3', [chatTopicOf('8000')]]),
    wanted(['1', [other!]], ['2', [chatTopicOf('8000')]]),
    wanted(['1', [topic!, other!]], ['2', [chatTopicOf('8000')]]),
    wanted(['1', [topic!]], ['2', [chatTopicOf('9000')]]),
  ])
    expect(knownUnlessChanged(known, next)).toBe(next);
  expect(knownUnlessChanged<WantedSubscription | null>(known, null)).toBeNull();
  expect(knownUnlessChanged<WantedSubscription | null>(null, known)).toBe(known);
});

test('Subscriptions that nobody wants any more are ended fifty a round', async () => {
  const [topic] = eventTopics({ streams: {}, follows: {}, subscribers: {}, redemptions: {} } as never);
  let ended = 0;
  const subscriptions = conduitSubscriptions({
    log,
    retryMs: minute,
    events: { notified() {}, mayMiss() {}, subscribed() {}, permissionRefused() {}, chatRevoked() {} },
    api: {
      listOfConduit: async () => [],
      subscribeConduit: async (channelId) => `id of ${channelId}`,
      async unsubscribeConduit() {
        ended += 1;
      },
    },
  });
  const wanted = new Map(Array.from({ length: 120 }, (_, index) => [String(index), [topic as Topic]]));
  for (let round = 0; round < 3; round += 1) await subscriptions.sync(wanted, noChats, 'one');
  const none = new Map<string, Topic[]>();
  const counts: number[] = [];
  do {
    await subscriptions.sync(none, noChats, 'one');
    counts.push(ended);
  } while (subscriptions.nextRetryInMs(none, noChats) === 0);
  expect(counts).toEqual([50, 100, 120]);
});

test('A subscription that ends with our lease waits for the next attempt, and counts as no refusal by Twitch', async () => {
  vi.useFakeTimers({ now: 1_800_000_000_000 });
  const topic = chatTopicOf('8000');
  const lapsed = new TwitchFault('leaseEnded', 'the lease ended during the call');
  const forbidden = new TwitchFault('accessRefused', 'forbidden', { statusCode: 403 });
  const answers = new Map([
    ['1', lapsed],
    ['2', forbidden],
  ]);
  const subscriptions = conduitSubscriptions({
    log,
    retryMs: minute,
    events: { notified() {}, mayMiss() {}, subscribed() {}, permissionRefused() {}, chatRevoked() {} },
    api: {
      listOfConduit: async () => [],
      unsubscribeConduit: async () => {},
      subscribeConduit: async (channelId) => {
        throw answers.get(channelId);
      },
    },
  });
  const chats = new Map([...answers.keys()].map((id) => [id, [topic]]));
  const sync = () => subscriptions.sync(noChats, chats, 'one');
  await sync();
  answers.set('2', lapsed);
  vi.advanceTimersByTime(minute);
  await sync();
  expect(subscriptions.stateOf('1', topic)).toEqual({ is: 'missing' });
  expect(subscriptions.stateOf('2', topic)).toMatchObject({ is: 'refused', times: 1 });
  expect(subscriptions.nextRetryInMs(noChats, chats)).toBe(minute);
});
