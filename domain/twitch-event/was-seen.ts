import { eq } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { seenMessages } from '#db/schema/twitch.ts';

/** Whether the message of this id was handled to its end, by any process, before or after a restart. */
export async function wasSeen(q: Reader, messageId: string): Promise<boolean> {
  return (await q.$count(seenMessages, eq(seenMessages.id, messageId))) > 0;
}
