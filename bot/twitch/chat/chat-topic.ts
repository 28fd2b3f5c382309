import type { Topic } from '#bot/twitch/events/event-topics.ts';

export const chatTopicType = 'channel.chat.message';

/**
 * The chat of a channel as this account reads it. Twitch requires `user:read:chat` and `user:bot` from the
 * account, and `channel:bot` from the broadcaster unless the account moderates there
 * (dev.twitch.tv/docs/eventsub/ eventsub-subscription-types, "Channel Chat Message"). Its events are not
 * handled like others: see `receiveChat`.
 */
export const chatTopicOf = (readerId: string): Topic => ({
  type: chatTopicType,
  version: '1',
  scope: null,
  readerId,
  condition: (channelId) => ({ broadcaster_user_id: channelId, user_id: readerId }),
  isNeeded: () => true,
  parse: () => null,
  // Twitch stores no history of chats.
  catchUp: null,
});
