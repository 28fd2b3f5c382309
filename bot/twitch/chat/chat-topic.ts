import type { Topic } from '#bot/twitch/events/event-topics.ts';

export const chatTopicType = 'channel.chat.message';
const noticeTopicType = 'channel.chat.notification';

/** Returns whether a type's events are lines of a chat, read by a chat account. */
export const isChatType = (type: string): boolean => type === chatTopicType || type === noticeTopicType;

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

/**
 * The lines that come with a notice, such as a resubscription's message and announcements: Twitch reports them
 * apart from all others, on the same conditions (the same page, "Channel Chat Notification").
 */
export const noticeTopicOf = (readerId: string): Topic => ({
  ...chatTopicOf(readerId),
  type: noticeTopicType,
});
