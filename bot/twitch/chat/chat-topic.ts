import type { Topic } from '#bot/twitch/events/event-topics.ts';

export const chatTopicType = 'channel.chat.message';

/**
 * The chat of a channel as this account reads it. Twitch asks for `user:read:chat` and `user:bot` of the account, and for
 * `channel:bot` of the broadcaster unless the account moderates there (dev.twitch.tv/docs/eventsub/
 * eventsub-subscription-types, "Channel Chat Message"). Its events are not handled like others: see `receiveChat`.
 */
export const chatTopicOf = (readerId: string): Topic => ({
  type: chatTopicType,
  version: '1',
  scope: null,
  readerId,
  condition: (channelId) => ({ broadcaster_user_id: channelId, user_id: readerId }),
  isNeeded: () => true,
  parse: () => null,
  // Twitch keeps no history of chats.
  catchUp: null,
});
