import { and, eq, inArray } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { leases } from '#db/schema/lease.ts';
import type { LeaseName } from './take-leases.ts';

/** Gives up leases at a planned stop, once their work has ended, so that the next process need not wait for their end. */
export async function releaseLeases(
  db: Database,
  holder: string,
  names: readonly LeaseName[],
): Promise<void> {
  if (names.length === 0) return;
  await db.transaction(async (tx) => {
    await tx
      .update(leases)
      .set({ holder: null, untilMs: 0 })
      .where(and(inArray(leases.name, [...names]), eq(leases.holder, holder)));
  });
}
