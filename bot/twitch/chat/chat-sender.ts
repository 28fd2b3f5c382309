import { type ApiClient, ChatMessageDroppedError } from '@twurple/api';
import { call } from '#bot/twitch/api.ts';
import { type TwitchFault, twitchFaultOf } from '#bot/twitch/twitch-fault.ts';

/**
 * The result of a line. `dropped`: Twitch took the call but not the line, for a reason in its own words.
 * `again`: too many calls. `refused`: the account may not write there. `gone`: Twitch knows no such channel.
 * `failed`: the account's grant does not suffice. `rerouted`: Twitch refused this way, and the line may go another one.
 * `unknown`: no answer, so the line may be in the chat.
 */
export type LineEnd =
  | { end: 'sent'; messageId: string | null }
  | { end: 'again' | 'refused' | 'gone' | 'failed' | 'rerouted' | 'unknown' }
  | { end: 'dropped'; reason: string };

export interface WrittenLine {
  text: string;
  /** True for a line that Twitch shows as an announcement, if it may be one there. */
  isAnnouncement: boolean;
}

/** Sends a line into a channel's chat. Never throws, and never sends a line twice. */
export type SendLine = (channelId: string, line: WrittenLine) => Promise<LineEnd>;

/**
 * Writes with the application's token, for the source channel alone if that shares its chat with others: a user's token
 * cannot limit a line so (dev.twitch.tv/docs/api/reference/chat). Needs `user:write:chat` and `user:bot` of the account,
 * and `channel:bot` of the broadcaster or a moderator's role. An announcement that Twitch does not take is a plain line.
 */
export function chatSender(application: Pick<ApiClient, 'chat' | 'callApi'>, twitchId: string): SendLine {
  return async (channelId, { text, isAnnouncement }) => {
    if (isAnnouncement) {
      // Twitch gives an announcement no id.
      const announcing = announce(application, { twitchId, channelId, text }).then(() => ({ id: null }));
      const announced = await endOfCall(announcing);
      if (announced.end === 'sent' || announced.end === 'unknown') return announced;
    }
    const sending = application.chat.sendChatMessageAsApp(twitchId, channelId, text, { forSourceOnly: true });
    return endOfCall(sending);
  };
}

/** Send Chat Announcement, which Twurple calls with a user's token only; `primary` is the channel's own color. */
const announce = (
  application: Pick<ApiClient, 'callApi'>,
  { twitchId, channelId, text }: { twitchId: string; channelId: string; text: string },
): Promise<unknown> =>
  application.callApi({
    type: 'helix',
    url: 'chat/announcements',
    method: 'POST',
    forceType: 'app',
    query: { broadcaster_id: channelId, moderator_id: twitchId },
    jsonBody: { message: text, color: 'primary', for_source_only: true },
  });

function endOfCall(sending: Promise<{ id: string | null }>): Promise<LineEnd> {
  const ended = sending.then(
    ({ id }): LineEnd => ({ end: 'sent', messageId: id }),
    (error): LineEnd => {
      if (!(error instanceof ChatMessageDroppedError)) throw error;
      return { end: 'dropped', reason: error.code ?? '' };
    },
  );
  return call(ended).catch((error) => ({ end: endOf(twitchFaultOf(error)) }));
}

function endOf({ code, cause }: TwitchFault): Exclude<LineEnd['end'], 'sent' | 'dropped' | 'rerouted'> {
  if (code === 'rateLimited') return 'again';
  if (code === 'unavailable' || code === 'leaseEnded') return 'unknown';
  // The reference has 403 for a sender without permission to send to the chat, and 401 for tokens.
  const { statusCode } = (cause ?? {}) as { statusCode?: number };
  if (statusCode === 404) return 'gone';
  return code === 'accessRefused' && statusCode === 403 ? 'refused' : 'failed';
}
