import { sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { isPostgres } from '#db/dialect.ts';
import { countRequiredBy } from './expansions.ts';

/**
 * Counts the migrations that an open database has had, as `keepsake doctor` does: the number of its schema for a version
 * whose newest is `newest`.
 */
export async function countMigrations(q: Reader, newest: number): Promise<number> {
  const steps = isPostgres ? sql`drizzle.__drizzle_migrations` : sql`__drizzle_migrations`;
  const had = await q.select({ created_at: sql`created_at`, expands: sql`expands` }).from(steps);
  return countRequiredBy(newest, had);
}
