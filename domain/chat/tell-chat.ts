import { eq } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { channels } from '#db/schema/channel.ts';
import { chatNews } from '#db/schema/twitch.ts';
import { newId } from '#domain/id.ts';

/** So many viewers are named; of the rest only how many they are is told. */
const MOST_NAMES = 5;

/** Writes into the act's own transaction who was promised something, for channels that want it told in chat. */
export async function tellChat(
  tx: Tx,
  { channelId, names, ruleName }: { channelId: string; names: readonly string[]; ruleName: string },
  nowMs: number,
): Promise<void> {
  if (names.length === 0) return;
  const [channel] = await tx
    .select({ announces: channels.announcesPromises })
    .from(channels)
    .where(eq(channels.id, channelId));
  if (!channel?.announces) return;
  const shown = names.slice(0, MOST_NAMES);
  const others = names.length - shown.length;
  await tx
    .insert(chatNews)
    .values({ id: newId(nowMs), channelId, names: shown, others, ruleName, createdAtMs: nowMs });
}
