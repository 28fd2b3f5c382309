import { eq, sql } from 'drizzle-orm';
import type { Database, Reader, Tx } from '#db/database.ts';
import { seenMessages } from '#db/schema/twitch.ts';
import { statement } from '#db/statement.ts';
import { deleteOld } from '#domain/kernel/delete-old.ts';
import { day } from '#domain/kernel/time.ts';

/** Returns whether a message was fully handled by any process, even before a restart. */
export async function wasSeen(q: Reader, messageId: string): Promise<boolean> {
  return (await q.$count(seenMessages, eq(seenMessages.id, messageId))) > 0;
}

/**
 * Records that a message was fully handled; repeating it changes nothing. Written after the effect: a crash in
 * between repeats the message, which every effect tolerates, while the reverse order could lose it.
 */
export async function markSeen(db: Database, messageId: string, systemMs: number): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.insert(seenMessages).values({ id: messageId, seenAtMs: systemMs }).onConflictDoNothing();
  });
}

const insertSeen = statement('message_taken', (tx) =>
  tx
    .insert(seenMessages)
    .values({ id: sql.placeholder('id'), seenAtMs: sql.placeholder('seenAtMs') })
    .onConflictDoNothing()
    .returning({ id: seenMessages.id }),
);

/** Like `takeMessage`, together with an effect that is written. */
export const takeMessageIn = async (tx: Tx, messageId: string, systemMs: number): Promise<boolean> =>
  (await insertSeen(tx, { id: messageId, seenAtMs: systemMs })).length > 0;

/**
 * Records a message before its effect, for effects that are better lost than repeated. Returns false if a
 * process has taken it already, even before a restart.
 */
export async function takeMessage(db: Database, messageId: string, systemMs: number): Promise<boolean> {
  return db.transaction((tx) => takeMessageIn(tx, messageId, systemMs));
}

/**
 * Deletes messages a day after they were handled; messages older than ten minutes are rejected anyway. System time.
 */
export async function pruneSeen(db: Database, systemMs: number): Promise<void> {
  const { id, seenAtMs } = seenMessages;
  await deleteOld(db, seenMessages, { key: [id], atMs: seenAtMs, beforeMs: systemMs - day });
}
