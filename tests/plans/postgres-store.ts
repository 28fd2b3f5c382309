import type { PGlite } from '@electric-sql/pglite';
import type pg from 'pg';
import { intoPostgres, RowSink } from '#tests/benchmarks/history/row-sink.ts';
import { writeHistory } from '#tests/benchmarks/history/write-history.ts';
import { startPglite } from '#tests/support/database.ts';

/** Every table is planned as if it were this many times larger, so that reading one whole is never cheapest. */
const LARGER = 100;
/** Channels watched on as many days as today's. */
const OTHER_WATCHED = 5;
/** Everybody once left a checkout: those of the last three months alone would fit on one page. */
const leftCheckouts = `
  insert into checkouts (id, user_id, product, tier, period, state, created_at_ms, expires_at_ms)
    select 'left-' || id, id, 'streamer', 'basic', 'month', 'expired', created_at_ms, created_at_ms from users;`;

/**
 * PostgreSQL's own code in this process, on a database with a past, with planner settings that show what indexes allow:
 * a table is read whole only where no index serves, and joined row by row. Its statistics are the same in each run and
 * on each machine.
 */
export async function openPlanningPostgres(rewards: number): Promise<PGlite> {
  const store = await startPglite();
  await writeHistory(new RowSink(intoPostgres(store as unknown as pg.Client)), rewards);
  await store.exec(`
    insert into watch_days select other.id, day_ms, twitch_id, seconds from watch_days
      cross join (select id from channels order by id limit ${OTHER_WATCHED}) other on conflict do nothing;
    ${leftCheckouts}
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
