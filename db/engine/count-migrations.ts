import { count, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { isPostgres } from '#db/dialect.ts';

/** Counts the migrations that an open database has had: the number of its schema. */
export async function countMigrations(q: Reader): Promise<number> {
  const steps = isPostgres ? sql`drizzle.__drizzle_migrations` : sql`__drizzle_migrations`;
  const [had] = await q.select({ steps: count() }).from(steps);
  return had?.steps ?? 0;
}
