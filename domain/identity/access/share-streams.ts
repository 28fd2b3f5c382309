import { and, ne, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { bigint, databaseTime, isAmong, rowsOf } from '#db/dialect.ts';
import { openStreams } from '#db/schema/access.ts';
import { statement } from '#db/statement.ts';
import { second } from '#domain/kernel/time.ts';

/**
 * The number of a process's streams counts for this long, unless it is stored again: no longer, because those of a
 * killed process open anew at another one. The database's time.
 */
export const STREAMS_KNOWN_MS = 18 * second;

const writeStreams = statement('streams_shared', (tx) =>
  tx
    .insert(openStreams)
    .select(
      sql`select added.key, ${sql.placeholder('process')}, added.streams, ${databaseTime} + ${bigint(STREAMS_KNOWN_MS)} from ${rowsOf(sql.placeholder('added'), { key: 'text', streams: 'bigint' }, 'added')} where ${bigint(1)} = 1` as never,
    )
    .onConflictDoUpdate({
      target: [openStreams.key, openStreams.process],
      set: { streams: sql`excluded.streams`, untilMs: sql`excluded.until_ms` },
    }),
);

const readOthers = statement('streams_elsewhere', (tx) =>
  tx
    .select({ key: openStreams.key, streams: sql<number>`sum(${openStreams.streams})`.mapWith(Number) })
    .from(openStreams)
    .where(
      and(
        isAmong(openStreams.key, sql.placeholder('keys')),
        ne(openStreams.process, sql.placeholder('process')),
        sql`${openStreams.untilMs} > ${databaseTime}`,
      ),
    )
    .groupBy(openStreams.key),
);

/**
 * Stores how many event streams a process has open under each of these keys, by one statement. Returns how many the
 * other processes have.
 */
export function shareStreams(
  db: Database,
  { process, open }: { process: string; open: ReadonlyMap<string, number> },
): Promise<Map<string, number>> {
  // Sorted, so that two processes do not wait for each other.
  const keys = [...open.keys()].sort();
  const added = JSON.stringify(keys.map((key) => [key, open.get(key)]));
  return db.transaction(
    async (tx) => {
      await writeStreams(tx, { process, added });
      const others = await readOthers(tx, { process, keys: JSON.stringify(keys) });
      return new Map(others.map(({ key, streams }) => [key, streams]));
    },
    { quiet: true },
  );
}
