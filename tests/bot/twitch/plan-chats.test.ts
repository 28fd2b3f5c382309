import { pino } from 'pino';
import { expect, test } from 'vitest';
import { chatTopicOf } from '#bot/twitch/chat/chat-topic.ts';
import { noPlan, planChats } from '#bot/twitch/chat/plan-chats.ts';
import type { SubscriptionState } from '#bot/twitch/events/event-carrier.ts';
import { conduitSubscriptions } from '#bot/twitch/events/event-subscriptions.ts';
import { TwitchFault } from '#bot/twitch/twitch-fault.ts';
import { hour } from '#domain/time.ts';

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
  expect([isAsked(3.9 * hour), isAsked(4 * hour), isAsked(1, true)]).toEqual([false, true, true]);
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
