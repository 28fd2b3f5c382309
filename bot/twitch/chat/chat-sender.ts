import { type ApiClient, ChatMessageDroppedError } from '@twurple/api';
import { call } from '#bot/twitch/api.ts';
import { type TwitchFault, twitchFaultOf } from '#bot/twitch/twitch-fault.ts';

/**
 * The result of a line. `dropped`: Twitch took the call but not the line, for a reason in its own words.
 * `again`: too many calls. `refused`: the account may not write there. `gone`: Twitch knows no such channel.
 * `failed`: the account's grant does not suffice. `unknown`: no answer, so the line may be in the chat.
 */
export type LineEnd =
  | { end: 'sent'; messageId: string | null }
  | { end: 'again' | 'refused' | 'gone' | 'failed' | 'unknown' }
  | { end: 'dropped'; reason: string };

/** Sends a line into a channel's chat. Never throws, and never sends a line twice. */
export type SendLine = (channelId: string, text: string) => Promise<LineEnd>;

/**
 * Send Chat Message with the application's token, which needs `user:write:chat` and `user:bot` of the account, and
 * `channel:bot` of the broadcaster or a moderator's role. Only so can a line be for its source channel alone,
 * if that shares its chat with others.
 */
export function chatSender(application: Pick<ApiClient, 'chat'>, twitchId: string): SendLine {
  return async (channelId, text) => {
    const sending = application.chat
      .sendChatMessageAsApp(twitchId, channelId, text, { forSourceOnly: true })
      .then(
        ({ id }): LineEnd => ({ end: 'sent', messageId: id }),
        (error): LineEnd => {
          if (!(error instanceof ChatMessageDroppedError)) throw error;
          return { end: 'dropped', reason: error.code ?? '' };
        },
      );
    return call(sending).catch((error) => ({ end: endOf(twitchFaultOf(error)) }));
  };
}

function endOf({ code, cause }: TwitchFault): Exclude<LineEnd['end'], 'sent' | 'dropped'> {
  if (code === 'rateLimited') return 'again';
  if (code === 'unavailable') return 'unknown';
  // The reference has 403 for a sender without permission to send to the chat, and 401 for tokens.
  const { statusCode } = (cause ?? {}) as { statusCode?: number };
  if (statusCode === 404) return 'gone';
  return code === 'accessRefused' && statusCode === 403 ? 'refused' : 'failed';
}
