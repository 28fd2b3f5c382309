import type { ChatFault } from '#db/schema/channel.ts';
import { minute, second } from '#domain/kernel/time.ts';

/**
 * What a notice about a line or a JOIN of ours means. `again`: Twitch would take the line later, or worded otherwise.
 * `timedOut`: none for some time.
 */
type Meaning = ChatFault | 'again' | 'timedOut';
/** What nobody's line changes until it is over. */
export type Silence = 'timedOut' | 'banned' | 'suspended';

/** Twitch's notices by their id (dev.twitch.tv/docs/irc/msg-id); the others are not about us. */
const meanings: Readonly<Record<string, Meaning>> = {
  msg_duplicate: 'again',
  msg_ratelimit: 'again',
  msg_banned: 'banned',
  msg_timedout: 'timedOut',
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
 * of IRC's notices return there, a timeout has one of its own (twitchdev/issues 1002), and whatever else there is restricts
 * us.
 */
export const meaningOfDrop = (code: string): Meaning =>
  code === 'user_timed_out' ? 'timedOut' : (meaningOf(code) ?? 'restricted');

export const meaningOf = (noticeId: string): Meaning | null =>
  Object.hasOwn(meanings, noticeId) ? (meanings[noticeId] ?? null) : null;

/** Whether nothing of ours will be taken there, so that trying again soon is of no use. */
export const isSilence = (meaning: Meaning): meaning is Silence =>
  meaning === 'timedOut' || meaning === 'banned' || meaning === 'suspended';

/** How long a chat is left alone at most, and where we are banned or there is no channel. System time. */
export const SHUT_MS = 15 * minute;
/** The same after a timeout of which Twitch does not say how long it lasts. System time. */
export const TIMED_OUT_MS = minute;

/** How long a timeout lasts, from the text of IRC's notice: "You are timed out for 600 more seconds." */
export function timeoutIn(text: string): number {
  const seconds = /\b(\d+) more seconds/.exec(text)?.[1];
  return seconds === undefined ? TIMED_OUT_MS : Math.min(SHUT_MS, Number(seconds) * second);
}
