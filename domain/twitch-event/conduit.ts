import { desc, ne } from 'drizzle-orm';
import type { Database, Reader } from '#db/database.ts';
import { conduits } from '#db/schema/twitch.ts';

/** The id of the conduit that is used; null before there is one. */
export async function findConduit(q: Reader): Promise<string | null> {
  const [row] = await q
    .select({ id: conduits.id })
    .from(conduits)
    .orderBy(desc(conduits.createdAtMs))
    .limit(1);
  return row?.id ?? null;
}

/** Keeps the id of the conduit that is used from now on, and forgets any other: Twitch has deleted it. System time. */
export async function saveConduit(database: Database, id: string, systemMs: number): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.delete(conduits).where(ne(conduits.id, id));
    await tx.insert(conduits).values({ id, createdAtMs: systemMs }).onConflictDoNothing();
  });
}
