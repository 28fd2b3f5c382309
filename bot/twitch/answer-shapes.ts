import { z } from 'zod';
import { answerWatch } from '#platform/answers/answer-watch.ts';
import type { AnswerShape } from '#platform/answers/odd-answer.ts';

// The expected shapes of Twitch's answers and events, as far as watch time, conditions and redemptions are decided by
// them (dev.twitch.tv/docs/api/reference, dev.twitch.tv/docs/eventsub/eventsub-reference).

const id = z.string().min(1);
const time = z.string().min(1);
const rows = (row: z.ZodType) => z.object({ data: z.array(row) });
const counted = (row: z.ZodType) => z.object({ data: z.array(row), total: z.number() });
const tier = z.literal(['1000', '2000', '3000']);

/** Twitch's reference names its anchors after its methods. */
const helix = (
  path: string,
  anchor: string,
  schema: z.ZodType,
  more: Partial<AnswerShape> = {},
): AnswerShape => ({
  platform: 'twitch',
  place: `GET ${path}`,
  schema,
  // Twurple reads answers without checking them.
  reaction: 'readAsIs',
  source: `https://dev.twitch.tv/docs/api/reference/#${anchor}`,
  ...more,
});
/** An answer to a call that changes something. */
const written = (method: 'POST' | 'PATCH', path: string, anchor: string, row: z.ZodType): AnswerShape => ({
  ...helix(path, anchor, rows(row)),
  place: `${method} ${path}`,
});
const event = (type: string, schema: z.ZodType, more: Partial<AnswerShape> = {}): AnswerShape => ({
  platform: 'twitch',
  place: type,
  schema,
  reaction: 'ignored',
  source: `https://dev.twitch.tv/docs/eventsub/eventsub-reference/#${type.replaceAll(/[._]/g, '-')}-event`,
  ...more,
});

const redemptionEvent = z.object({
  id,
  user_id: id,
  reward: z.object({ id }),
  status: z.literal(['unfulfilled', 'fulfilled', 'canceled', 'unknown']),
  redeemed_at: time,
});
const redemptionStatus = z.literal(['UNFULFILLED', 'FULFILLED', 'CANCELED', 'UNKNOWN']);
const customReward = z.object({
  id,
  title: z.string(),
  cost: z.number(),
  is_paused: z.boolean(),
  should_redemptions_skip_request_queue: z.boolean(),
});
const sentLine = z.object({
  is_sent: z.boolean(),
  drop_reason: z.object({ code: z.string() }).nullish(),
});
const subscriberEvent = z.object({ user_id: id, tier });
const ofTier = { newValues: { tier: 'lowest' } } as const;

/** The shapes of Twitch's answers and events. */
export const twitchShapes: readonly AnswerShape[] = [
  helix(
    'streams',
    'get-streams',
    rows(
      z.object({ id, user_id: id, user_login: z.string(), type: z.literal(['live', '']), started_at: time }),
    ),
    { newValues: { 'data[].type': 'ignored' } },
  ),
  helix(
    'users',
    'get-users',
    rows(z.object({ id, login: z.string(), broadcaster_type: z.literal(['', 'affiliate', 'partner']) })),
    { newValues: { 'data[].broadcaster_type': 'unknown' } },
  ),
  helix('chat/chatters', 'get-chatters', counted(z.object({ user_id: id, user_login: z.string() }))),
  helix('channels/followers', 'get-channel-followers', counted(z.object({ user_id: id, followed_at: time }))),
  helix('subscriptions', 'get-broadcaster-subscriptions', rows(z.object({ user_id: id, tier })), {
    newValues: { 'data[].tier': 'lowest' },
  }),
  helix(
    'channel_points/custom_rewards/redemptions',
    'get-custom-reward-redemption',
    rows(
      z.object({
        id,
        user_id: id,
        reward: z.object({ id }),
        status: redemptionStatus,
        redeemed_at: time,
      }),
    ),
  ),
  written('POST', 'channel_points/custom_rewards', 'create-custom-rewards', customReward),
  written('PATCH', 'channel_points/custom_rewards', 'update-custom-reward', customReward),
  written(
    'PATCH',
    'channel_points/custom_rewards/redemptions',
    'update-redemption-status',
    z.object({ id, status: redemptionStatus }),
  ),
  written('POST', 'chat/messages', 'send-chat-message', sentLine),
  event(
    'stream.online',
    z.object({
      id,
      type: z.literal(['live', 'playlist', 'watch_party', 'premiere', 'rerun']),
      started_at: time,
    }),
  ),
  event('channel.follow', z.object({ user_id: id, followed_at: time })),
  event('channel.subscribe', subscriberEvent, ofTier),
  event('channel.subscription.message', subscriberEvent, ofTier),
  event('channel.subscription.end', subscriberEvent, ofTier),
  event('channel.channel_points_custom_reward_redemption.add', redemptionEvent),
  event('channel.channel_points_custom_reward_redemption.update', redemptionEvent),
];

const shapeOf = new Map(twitchShapes.map((shape) => [shape.place, shape]));

/** Compares an event with the shape of its type. Lines of chats have none. */
export function watchTwitchEvent(type: string, given: unknown): void {
  const shape = shapeOf.get(type);
  if (shape) answerWatch.look(shape, given);
}

/** Returns a response that is compared with the shape of its endpoint when its text is read. */
export function watchedResponse(
  { url, method = 'GET' }: { url: string; method?: string | undefined },
  response: Response,
): Response {
  const shape = response.ok ? shapeOf.get(`${method} ${url}`) : undefined;
  if (!shape) return response;
  const read = response.text.bind(response);
  response.text = async () => {
    const text = await read();
    answerWatch.look(shape, parse(text));
    return text;
  };
  return response;
}

/** Undefined if it is no JSON, which the caller finds out too. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
