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

/** Number of rows in tables for which the history has none. */
const FILLED = 2_000;
/** For an empty table any index seems as good as another, so these get rows of any content. */
const fillEmpty = `
  do $$
  declare
    empty record;
    has_rows boolean;
    checked text;
    names text;
    contents text;
  begin
    set local session_replication_role = replica;
    for empty in select oid, relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace loop
      execute format('select exists (select 1 from %I)', empty.relname) into has_rows;
      continue when has_rows;
      for checked in select conname from pg_constraint where conrelid = empty.oid and contype = 'c' loop
        execute format('alter table %I drop constraint %I', empty.relname, checked);
      end loop;
      select string_agg(quote_ident(attname), ', '),
        string_agg(case format_type(atttypid, null)
          when 'text' then $t$'text ' || n$t$ when 'bigint' then 'n' when 'boolean' then 'n % 100 = 0'
          else $t$'[]'$t$ end, ', ')
        into names, contents
        from pg_attribute where attrelid = empty.oid and attnum > 0 and not attisdropped;
      execute format('insert into %I (%s) select %s from generate_series(1, ${FILLED}) n', empty.relname, names, contents);
    end loop;
  end $$;`;

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
    ${fillEmpty}
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
