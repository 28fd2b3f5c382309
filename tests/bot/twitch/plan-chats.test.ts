import { pino } from 'pino';
import { expect, test } from 'vitest';
import { surveyChannels } from '#bot/twitch/channel/survey-channels.ts';
import { chatTopicOf } from '#bot/twitch/chat/chat-topic.ts';
import { noPlan, planChats } from '#bot/twitch/chat/plan-chats.ts';
import type { SubscriptionState } from '#bot/twitch/events/event-carrier.ts';
import { conduitSubscriptions } from '#bot/twitch/events/event-subscriptions.ts';
import { TwitchFault } from '#bot/twitch/twitch-fault.ts';
import { hour, minute } from '#domain/kernel/time.ts';

const START_MS = 1_700_000_000_000;
const ours = { login: 'one', readerId: '8000', isIn: () => false, isModerator: () => false };

function plan(state: SubscriptionState, allowsBot: boolean, nowMs = START_MS, before = noPlan) {
  const rooms = [{ channelId: '1', login: 'demo', allowsBot }];
  return planChats(rooms, [ours], before, { stateOf: () => state, maxChats: 0, nowMs });
}

test('A streamer is at fault for a refusal only without having let the bot in', () => {
  const refused = { is: 'refused', atMs: START_MS, times: 1 } as const;
  expect(plan(refused, false).leftOut.get('1')).toBe('notAllowed');
  expect(plan(refused, true).leftOut.get('1')).toBe('unexplained');
  const failed = plan({ ...refused, is: 'failed' }, false);
  expect([failed.leftOut.get('1'), failed.isChanging]).toEqual(['unexplained', false]);
});

test('Twitch is asked again later after each refusal, and at once when the streamer has let the bot in', () => {
  const refused = { is: 'refused', atMs: START_MS, times: 3 } as const;
  const before = plan(refused, false);
  const isAsked = (afterMs: number, allowsBot = false) =>
    plan(refused, allowsBot, START_MS + afterMs, before).byEvents.has('1');
  expect([isAsked(19 * minute), isAsked(20 * minute), isAsked(1, true)]).toEqual([false, true, true]);
});

test('The chats that come first are in IRC where events do not let us in, and the others wait', () => {
  const rooms = Array.from({ length: 5 }, (_, index) => ({
    channelId: String(index),
    login: `demo_${index}`,
    allowsBot: index === 1,
  }));
  const stateOf = (channelId: string): SubscriptionState =>
    channelId === '1' ? { is: 'made' } : { is: 'refused', atMs: START_MS, times: 1 };
  const { irc, byEvents, leftOut } = planChats(rooms, [ours], noPlan, {
    stateOf,
    maxChats: 2,
    nowMs: START_MS,
  });
  expect([[...irc.keys()], [...byEvents.keys()], [...leftOut.keys()]]).toEqual([
    ['0', '2'],
    ['1'],
    ['3', '4'],
  ]);
});

test('Live channels come first among the chats', async () => {
  const channels = [false, true, false, true].map((live, index) => ({
    ...{ id: String(index), login: `demo_${index}`, live, hasOpenRule: true, countsWatching: false },
    ...{ allowsBot: false, chatFault: null },
  }));
  const asked: string[] = [];
  const { round } = surveyChannels({
    log: pino({ level: 'silent' }),
    watched: async () => channels as never,
    streams: { reconcile: async () => null },
    events: {
      setChannels() {},
      stateOf: () => ({ is: 'missing' }),
      counts: () => ({ receiving: 0, wanted: 0, areElsewhere: false }),
      changesCarrier: () => false,
    },
    chats: {
      setChannels: (rooms) => void asked.push(...rooms.map(({ channelId }) => channelId)),
      wantedTopics: () => null,
      changesCarrier: () => false,
    },
    reconcileMs: hour,
    catchUpMs: hour,
  });
  await round();
  expect(asked).toEqual(['1', '3', '0', '2']);
});

test('After a restart, the list of subscriptions still tells of a ban', async () => {
  const topic = chatTopicOf('8000');
  const one = { type: topic.type, readerId: '8000' };
  const ended: string[] = [];
  const subscriptions = conduitSubscriptions({
    log: pino({ level: 'silent' }),
    api: {
      listOfConduit: async () => [
        { ...one, id: 'a', channelId: '1', status: 'chat_user_banned' },
        { ...one, id: 'b', channelId: '2', status: 'moderator_removed' },
        { ...one, id: 'c', channelId: '3', status: 'authorization_revoked' },
        { ...one, id: 'd', channelId: '4', status: 'chat_user_banned' },
        { ...one, id: 'e', channelId: '4', status: 'enabled' },
      ],
      subscribeConduit: async () => {
        throw new TwitchFault('accessRefused', 'forbidden', { statusCode: 403 });
      },
      unsubscribeConduit: async (id) => void ended.push(id),
    },
    events: { notified() {}, mayMiss() {}, subscribed() {}, permissionRefused() {}, chatRevoked() {} },
    retryMs: 0,
  });
  const ids = ['1', '2', '3', '4'];
  await subscriptions.read('conduit');
  await subscriptions.sync(new Map(), new Map(ids.map((id) => [id, [topic]])), 'conduit');
  expect(ended.sort()).toEqual(['a', 'b', 'c', 'd']);
  expect(ids.map((id) => subscriptions.stateOf(id, topic).is)).toEqual([
    'banned',
    'refused',
    'refused',
    'made',
  ]);
});

test('What Twitch answers for good is told apart from what may pass, and a ban from the refusals after it', async () => {
  const topic = chatTopicOf('8000');
  const answers = new Map([
    ['1', new TwitchFault('refused', 'bad request', { statusCode: 400 })],
    ['2', new TwitchFault('accessRefused', 'unauthorized', { statusCode: 401 })],
    ['3', new TwitchFault('unavailable', 'no answer')],
    ['4', new TwitchFault('accessRefused', 'forbidden', { statusCode: 403 })],
    ['5', new TwitchFault('accessRefused', 'forbidden', { statusCode: 403 })],
  ]);
  const blamed: string[] = [];
  let revokedChats = 0;
  const subscriptions = conduitSubscriptions({
    log: pino({ level: 'silent' }),
    api: {
      listOfConduit: async () => [],
      subscribeConduit: async (channelId) => {
        throw answers.get(channelId);
      },
      unsubscribeConduit: async () => {},
    },
    events: {
      notified() {},
      mayMiss() {},
      subscribed() {},
      permissionRefused: (channelId) => blamed.push(channelId),
      chatRevoked: () => {
        revokedChats += 1;
      },
    },
    retryMs: 0,
  });
  const revocation = { subscriptionId: 'x', type: topic.type, readerId: '8000' };
  subscriptions.revoked({ ...revocation, channelId: '5', status: 'chat_user_banned' });
  subscriptions.revoked({ ...revocation, channelId: '4', status: 'authorization_revoked' });
  await subscriptions.sync(new Map(), new Map([...answers.keys()].map((id) => [id, [topic]])), 'conduit');
  const states = [...answers.keys()].map((id) => subscriptions.stateOf(id, topic).is);
  expect(states).toEqual(['failed', 'failed', 'missing', 'refused', 'banned']);
  expect([blamed, revokedChats]).toEqual([[], 1]);
});
