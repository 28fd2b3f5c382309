import { database } from '#app/services/database.server.ts';
import { listChatLogins } from '#domain/account/twitch/list-chat-logins.ts';
import { getChatSettings } from '#domain/channel/get-chat-settings.ts';

/** Returns whether a bot can write in the chat of a channel now. */
export async function canSpeak(channelId: string): Promise<boolean> {
  const { read } = await database();
  const [chat, speakers] = await Promise.all([getChatSettings(read, channelId), listChatLogins(read)]);
  return speakers.length > 0 && chat?.chatFault === null;
}
