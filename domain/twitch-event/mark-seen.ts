import type { Database } from '#db/database.ts';
import { seenMessages } from '#db/schema/twitch.ts';

/**
 * Notes that a message was handled to its end; marking it again changes nothing. It is written after the effect: a crash
 * between the two lets the message be handled once more, which every effect bears, while the other order could lose it.
 */
export async function markSeen(database: Database, messageId: string, systemMs: number): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.insert(seenMessages).values({ id: messageId, seenAtMs: systemMs }).onConflictDoNothing();
  });
}
