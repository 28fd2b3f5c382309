import { eq } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { type ChatFault, channels } from '#db/schema/channel.ts';
import type { ChatSettings } from '#domain/channel/set-chat-settings.ts';
import { type ChatCommandSettings, commandsOf } from '#domain/chat/chat-commands.ts';

/**
 * Returns how the bot behaves in a channel's chat, and why it cannot write there if so; null if the channel
 * is unknown.
 */
export async function getChatSettings(
  q: Reader,
  channelId: string,
): Promise<(ChatSettings & { chatFault: ChatFault | null; commands: ChatCommandSettings }) | null> {
  const { chatLocale, announcesPromises, chatFault, chatCommands } = channels;
  const [row] = await q
    .select({ chatLocale, announcesPromises, chatFault, chatCommands })
    .from(channels)
    .where(eq(channels.id, channelId));
  if (!row) return null;
  const { chatCommands: changed, ...settings } = row;
  return { ...settings, commands: commandsOf(changed) };
}
