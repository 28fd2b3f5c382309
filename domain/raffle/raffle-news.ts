import { chatAnnouncements, type RaffleNews } from '#db/schema/twitch.ts';
import { insertManyInto } from '#db/write.ts';
import { newId } from '#domain/kernel/id.ts';
import type { ChannelTx } from '#domain/kernel/locks.ts';

const insertNews = insertManyInto(chatAnnouncements, 'raffle_news');

/** Queues news of a raffle for its channel's chat. Returns the id of the line. */
export async function queueNews(
  tx: ChannelTx,
  { channelId, news }: { channelId: string; news: RaffleNews },
  nowMs: number,
): Promise<string> {
  const id = newId(nowMs);
  await insertNews(tx, [{ id, channelId, names: [], others: 0, ruleName: '', news, createdAtMs: nowMs }]);
  return id;
}
