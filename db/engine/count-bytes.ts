import { sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { isPostgres } from '#db/dialect.ts';

/** The bytes that the database takes on its disk, without SQLite's log of writes. */
export async function countBytes(q: Reader): Promise<number> {
  const bytes = isPostgres
    ? sql`pg_database_size(current_database())`
    : sql`(select page_count * page_size from pragma_page_count(), pragma_page_size())`;
  const [row] = await q.select({ bytes: bytes.mapWith(Number) }).from(sql`(select 1) as one`);
  return row?.bytes ?? 0;
}
