import { eq, lt } from 'drizzle-orm';
import type { Database, Reader } from '#db/database.ts';
import { seenMessages } from '#db/schema/twitch.ts';
import { day } from '#domain/time.ts';

/** Whether the message of this id was handled to its end, by any process, before or after a restart. */
export async function wasSeen(q: Reader, messageId: string): Promise<boolean> {
  return (await q.$count(seenMessages, eq(seenMessages.id, messageId))) > 0;
}

/**
 * Notes that a message was handled to its end; marking it again changes nothing. It is written after the effect: a crash
 * between the two lets the message be handled once more, which every effect bears, while the other order could lose it.
 */
export async function markSeen(database: Database, messageId: string, systemMs: number): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.insert(seenMessages).values({ id: messageId, seenAtMs: systemMs }).onConflictDoNothing();
  });
}

/** Forgets messages a day after they were handled: one that is older than ten minutes is not heard at all. System time. */
export async function pruneSeen(database: Database, systemMs: number): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.delete(seenMessages).where(lt(seenMessages.seenAtMs, systemMs - day));
  });
}
