import type { Log } from '#bot/log.ts';
import {
  countOddDrop,
  isSilence,
  meaningOfDrop,
  reportRefusal,
  SHUT_MS,
  type Silence,
  TIMED_OUT_MS,
} from '#bot/twitch/chat/chat-notices.ts';
import type { ChatEvents } from '#bot/twitch/chat/chat-port.ts';
import type { LineEnd, SendLine } from '#bot/twitch/chat/chat-sender.ts';
import type { SentLine } from '#bot/twitch/chat/message-queue.ts';

interface Options extends Pick<ChatEvents, 'onFault' | 'onDropped' | 'onRerouted' | 'onSilence'> {
  send: SendLine;
  /** True if Twitch should take announcements there. */
  mayAnnounce: boolean;
  log: Log;
}

/**
 * Sends a line by Twitch's API and reports the result. A line without an answer may have been sent, so it is
 * not repeated, nor is one that AutoMod holds.
 */
export async function deliverLine(
  channelId: string,
  line: SentLine,
  { send, mayAnnounce, log, ...events }: Options,
): Promise<void> {
  const { text, isAnnouncement = false, onTaken } = line;
  const sent = await send(channelId, { text, isAnnouncement: isAnnouncement && mayAnnounce });
  if (sent.end === 'sent') {
    onTaken?.(sent.messageId);
    events.onFault(channelId, null);
    return;
  }
  if (sent.end === 'rerouted') return events.onRerouted(line);
  const meaning = sent.end === 'dropped' ? meaningOfDrop(sent.reason) : meaningOfEnd[sent.end];
  if (sent.end === 'dropped') countOddDrop(sent.reason);
  log.debug({ channelId, ...sent }, 'a chat line was not sent, or Twitch did not say');
  if (meaning === 'again') return events.onDropped(line);
  reportEnd(line, sent);
  if (meaning && isSilence(meaning)) events.onSilence(channelId, meaning, silenceMs(meaning, sent.end));
  else if (meaning) events.onFault(channelId, meaning);
}

/** Reports to a line why it is not in the chat; nothing if it may be, or may still come. */
function reportEnd(line: SentLine, sent: LineEnd): void {
  if (sent.end === 'dropped') reportRefusal(line, sent.reason);
  else if (sent.end === 'refused' || sent.end === 'gone') line.onUnsent?.();
  else if (sent.end === 'failed') line.onRefused?.();
}

/** Time for which nothing is written. A status of 403 alone may be a passing trouble of Twitch's. */
const silenceMs = (silence: Silence, end: LineEnd['end']): number =>
  silence === 'timedOut' || end === 'refused' ? TIMED_OUT_MS : SHUT_MS;

/** The meanings of the results for which Twitch gives no reason. */
const meaningOfEnd = {
  again: 'again',
  refused: 'banned',
  gone: 'suspended',
  failed: null,
  unknown: null,
} as const;
