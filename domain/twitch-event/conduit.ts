import { desc, ne } from 'drizzle-orm';
import type { Database, Reader } from '#db/database.ts';
import { conduits } from '#db/schema/twitch.ts';

/** Returns the id of the current conduit, or null. */
export async function findConduit(q: Reader): Promise<string | null> {
  const [row] = await q
    .select({ id: conduits.id })
    .from(conduits)
    .orderBy(desc(conduits.createdAtMs))
    .limit(1);
  return row?.id ?? null;
}

/** Stores the id of the current conduit and deletes any other, which Twitch has deleted. System time. */
export async function saveConduit(db: Database, id: string, systemMs: number): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.delete(conduits).where(ne(conduits.id, id));
    await tx.insert(conduits).values({ id, createdAtMs: systemMs }).onConflictDoNothing();
  });
}
