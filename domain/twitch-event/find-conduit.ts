import { desc } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
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
