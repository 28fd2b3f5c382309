import { chatAnnouncements, type RaffleAnnouncement } from '#db/schema/twitch.ts';
import { insertManyInto } from '#db/write.ts';
import { newId } from '#domain/kernel/id.ts';
import type { ChannelTx } from '#domain/kernel/locks.ts';

const insertAnnouncement = insertManyInto(chatAnnouncements, 'raffle_announcements');

/** Queues an announcement of a raffle for its channel's chat. Returns the id of the line. */
export async function queueAnnouncement(
  tx: ChannelTx,
  { channelId, announcement }: { channelId: string; announcement: RaffleAnnouncement },
  nowMs: number,
): Promise<string> {
  const id = newId(nowMs);
  await insertAnnouncement(tx, [
    { id, channelId, names: [], others: 0, ruleName: '', raffle: announcement, createdAtMs: nowMs },
  ]);
  return id;
}
