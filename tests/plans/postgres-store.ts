import type { PGlite } from '@electric-sql/pglite';
import type pg from 'pg';
import { intoPostgres, RowSink } from '#tests/benchmarks/history/row-sink.ts';
import { writeHistory } from '#tests/benchmarks/history/write-history.ts';
import { startPglite } from '#tests/support/database.ts';

/** By so much every table is taken to be larger than it is, so that reading one whole is never the cheapest. */
const LARGER = 100;
/** Channels that were watched on as many days as the one of today. */
const OTHER_WATCHED = 5;

/**
 * PostgreSQL's own code in this process, on a store with a past, and set to plan so that a plan tells what the indexes
 * allow: a table is read whole only where no index serves, and joined row by row. What it knows of the tables is the
 * same in each run, whatever the machine.
 */
export async function openPlanningPostgres(rewards: number): Promise<PGlite> {
  const store = await startPglite();
  await writeHistory(new RowSink(intoPostgres(store as unknown as pg.Client)), rewards);
  await store.exec(`
    insert into watch_days select other.id, day_ms, twitch_id, seconds from watch_days
      cross join (select id from channels order by id limit ${OTHER_WATCHED}) other on conflict do nothing;
    analyze;
    update pg_class set reltuples = reltuples * ${LARGER}
      where relkind in ('r', 'i') and relnamespace = 'public'::regnamespace and reltuples > 0;
    set plan_cache_mode = force_generic_plan;
    set enable_seqscan = off;
    set enable_hashjoin = off;
    set enable_mergejoin = off;
  `);
  return store;
}
