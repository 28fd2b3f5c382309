import type { Line } from '#bot/twitch/chat/message-queue.ts';
import type { ChatFault } from '#db/schema/channel.ts';
import { minute, second } from '#domain/kernel/time.ts';
import { answerWatch } from '#platform/answers/answer-watch.ts';
import { HIDDEN } from '#platform/answers/find-differences.ts';

/**
 * The meaning of a notice about a line or a JOIN of ours. `again`: Twitch would take the line later, or
 * worded otherwise. `timedOut`: it takes none for some time.
 */
type Meaning = ChatFault | 'again' | 'timedOut';
/** Meanings for which no line is accepted until they are over. */
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

const TIMED_OUT = 'user_timed_out';

/**
 * Returns the meaning of a drop reason of Send Chat Message. Twitch documents no codes, and changes them
 * (twitchdev/issues 962). The codes of IRC's notices return there, a timeout has one of its own
 * (twitchdev/issues 1002), and any other code means that we are restricted.
 */
export const meaningOfDrop = (code: string): Meaning =>
  code === TIMED_OUT ? 'timedOut' : (meaningOf(code) ?? 'restricted');

export const meaningOf = (noticeId: string): Meaning | null =>
  Object.hasOwn(meanings, noticeId) ? (meanings[noticeId] ?? null) : null;

/**
 * The reasons of refusals that pass by themselves, or as soon as somebody ends them, whatever the line says.
 * `channel_settings` is what Send Chat Message is believed to say for the modes of a chat.
 */
const passing: ReadonlySet<string> = new Set([
  ...['msg_banned', 'msg_timedout', TIMED_OUT, 'msg_channel_suspended', 'msg_room_not_found', 'tos_ban'],
  ...['msg_emoteonly', 'msg_subsonly', 'msg_slowmode', 'channel_settings'],
  ...['msg_followersonly', 'msg_followersonly_followed', 'msg_followersonly_zero'],
  ...['msg_requires_verified_phone_number', 'msg_verified_email'],
]);
/** The code for a line that AutoMod holds: a moderator may still let it pass. */
const HELD = 'msg_rejected';

/** Reports to a line why Twitch refused it; nothing to one that may still come. */
export function reportRefusal(
  { onUnsent, onRefused }: Pick<Line, 'onUnsent' | 'onRefused'>,
  code: string,
): void {
  if (passing.has(code)) onUnsent?.();
  else if (code !== HELD) onRefused?.();
}

/** Beginnings of documented notices about commands, modes and raids, which are none of our business. */
const aboutOthers =
  /^(?:already|autohost|bad|ban|cmds|color|commercial|delete|emote_only|followers|hosts?|invalid|mod|no_help|no_mods|no_vips|not_hosting|r9k|raid|room|slow|subs|timeout|turbo|unavailable|unban|unhost|unmod|unraid|unrecognized|untimeout|unvip|usage|vips?|whisper)(?:_|$)/;
const constant = /^\w{1,40}$/;

/** Counts a notice of IRC whose id is not known. */
export function countOddNotice(noticeId: string): void {
  if (meaningOf(noticeId) !== null || aboutOthers.test(noticeId)) return;
  const found = constant.test(noticeId) ? noticeId : HIDDEN;
  answerWatch.count({
    platform: 'twitch',
    place: 'NOTICE of IRC',
    path: 'msg-id',
    difference: 'value',
    found,
    reaction: 'ignored',
    example: null,
  });
}

/** Counts a drop reason whose code is not known. */
export function countOddDrop(code: string): void {
  if (code === TIMED_OUT || meaningOf(code) !== null) return;
  const found = constant.test(code) ? code : HIDDEN;
  answerWatch.count({
    platform: 'twitch',
    place: 'POST chat/messages',
    path: 'data[].drop_reason.code',
    difference: 'value',
    found,
    reaction: 'refused',
    example: null,
  });
}

/** Returns whether nothing of ours will be accepted there, so that an early retry is of no use. */
export const isSilence = (meaning: Meaning): meaning is Silence =>
  meaning === 'timedOut' || meaning === 'banned' || meaning === 'suspended';

/**
 * A chat is left alone for at most this long; also where we are banned or there is no channel. System time.
 */
export const SHUT_MS = 15 * minute;
/** Like `SHUT_MS`, after a timeout whose length Twitch does not report. System time. */
export const TIMED_OUT_MS = minute;

/**
 * Returns how long a timeout lasts, from the text of IRC's notice: "You are timed out for 600 more seconds."
 */
export function timeoutIn(text: string): number {
  const seconds = /\b(\d+) more seconds/.exec(text)?.[1];
  return seconds === undefined ? TIMED_OUT_MS : Math.min(SHUT_MS, Number(seconds) * second);
}
