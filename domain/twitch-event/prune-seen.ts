import { lt } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { seenMessages } from '#db/schema/twitch.ts';
import { day } from '#domain/time.ts';

/** Forgets messages a day after they were handled: one that is older than ten minutes is not heard at all. System time. */
export async function pruneSeen(database: Database, systemMs: number): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.delete(seenMessages).where(lt(seenMessages.seenAtMs, systemMs - day));
  });
}
