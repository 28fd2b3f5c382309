import { eq } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { type ChatFault, channels } from '#db/schema/channel.ts';
import type { ChatSettings } from '#domain/channel/set-chat-settings.ts';

/**
 * Returns how the bot behaves in a channel's chat, and why it cannot write there if so; null if the channel
 * is unknown.
 */
export async function getChatSettings(
  q: Reader,
  channelId: string,
): Promise<(ChatSettings & { chatFault: ChatFault | null }) | null> {
  const { chatLocale, announcesPromises, chatFault } = channels;
  const [row] = await q
    .select({ chatLocale, announcesPromises, chatFault })
    .from(channels)
    .where(eq(channels.id, channelId));
  return row ?? null;
}
