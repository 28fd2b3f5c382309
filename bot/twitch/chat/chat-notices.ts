import type { ChatFault } from '#db/schema/channel.ts';

/** What a notice about a line or a JOIN of ours means; `again`: Twitch would take the line later, or worded otherwise. */
type Meaning = ChatFault | 'again';

/** Twitch's notices by their id (dev.twitch.tv/docs/irc/msg-id); the others are not about us. */
const meanings: Readonly<Record<string, Meaning>> = {
  msg_duplicate: 'again',
  msg_ratelimit: 'again',
  msg_banned: 'banned',
  msg_timedout: 'banned',
  msg_channel_suspended: 'suspended',
  msg_room_not_found: 'suspended',
  tos_ban: 'suspended',
  msg_emoteonly: 'restricted',
  msg_followersonly: 'restricted',
  msg_followersonly_followed: 'restricted',
  msg_followersonly_zero: 'restricted',
  msg_r9k: 'restricted',
  msg_rejected: 'restricted',
  msg_rejected_mandatory: 'restricted',
  msg_requires_verified_phone_number: 'restricted',
  msg_slowmode: 'restricted',
  msg_subsonly: 'restricted',
  msg_verified_email: 'restricted',
  no_permission: 'restricted',
};

/**
 * What a drop reason of Send Chat Message means. Twitch documents no codes, and changes them (twitchdev/issues 962); those
 * of IRC's notices return there, and whatever else there is restricts us.
 */
export const meaningOfDrop = (code: string): Meaning => meaningOf(code) ?? 'restricted';

export const meaningOf = (noticeId: string): Meaning | null =>
  Object.hasOwn(meanings, noticeId) ? (meanings[noticeId] ?? null) : null;

/** Whether nothing of ours will be taken there, so that trying again soon is of no use. */
export const isShut = (fault: ChatFault): boolean => fault === 'banned' || fault === 'suspended';
