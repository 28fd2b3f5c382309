import { readFileSync } from 'node:fs';
import pg from 'pg';
import { type Database, openPostgres } from '#db/database.ts';
import { accrueWatchTimes } from '#domain/audience/accrue-watch-time.ts';
import { minute } from '#domain/kernel/time.ts';
import type { Remembered } from '#domain/watch-time/present-viewers.ts';
import { median, rounded } from '#tests/benchmarks/measure.ts';
import { connect, makeDatabases, preparing } from '#tests/benchmarks/postgres/databases.ts';
import {
  changingChat,
  firstViewer,
  ONE_REGISTERED_IN,
  RULE_SECONDS,
  type Shape,
} from '#tests/benchmarks/presence/changing-chat.ts';
import { type Ask, creditMinute, makeTables } from '#tests/benchmarks/presence/row-a-minute.ts';
import { addRule, addStreamer, START_MS } from '#tests/support/fixtures.ts';

const ROUNDS = 5;
const LANES = 4;
/** Channels in one transaction. The bot puts up to a hundred into one. */
const TOGETHER = Number(process.env.BENCH_TOGETHER ?? 100);

const dialect = {
  list: (parameter: string) => `json_array_elements_text(cast(${parameter} as json))`,
  int: 'bigint',
  lock: "select pg_advisory_xact_lock(hashtextextended('channel:' || $1, 0))",
};

const channelOf = (place: number): string => String(50_000_000 + place);

/** Makes the channels, each with rules and viewers, by copying a channel and its rule within the database. */
async function seed(client: pg.Client, shape: Shape): Promise<void> {
  const { channels, known, rules } = shape;
  const channel = `(${channelOf(0)} + c)::text`;
  const first = `(${firstViewer(0, shape)} + 2 * ${known} * c)`;
  const total = `((n::bigint * 7877 * 31) % ${RULE_SECONDS * rules})`;
  const ahead = `((${total} / ${RULE_SECONDS} + 1) * ${RULE_SECONDS})`;
  const each = `generate_series(0, ${channels - 1}) as c`;
  await client.query(
    `insert into channels select (jsonb_populate_record(one, jsonb_build_object('id', ${channel}, 'login', 'demo' || c,
       'live', true, 'stream_id', 's1', 'stream_started_at_ms', ${START_MS}, 'watched_until_ms', ${START_MS}))).* from channels one, ${each}`,
  );
  await client.query(
    `insert into rules select (jsonb_populate_record(one, jsonb_build_object('id', 'rule-' || c || '-' || r, 'line_id', null,
       'channel_id', ${channel}, 'watch_minutes', (r + 1) * ${RULE_SECONDS / 60}, 'watch_scope', 'allTime'))).*
     from rules one, ${each}, generate_series(0, ${rules - 1}) as r`,
  );
  const viewers = `from ${each}, generate_series(0, ${known - 1}) as n`;
  await client.query(
    `insert into watch_times (channel_id, twitch_id, seconds, next_check_seconds) select ${channel}, (${first} + n)::text, ${total}, ${ahead} ${viewers}`,
  );
  const registered = `(${first} + n)::text as id ${viewers} where n % ${ONE_REGISTERED_IN} = 0`;
  await client.query(
    `insert into users (id, name, email, email_verified_at_ms, created_at_ms) select 'user-' || id, 'Demo', id || '@example.org', 1, 1 from (select ${registered}) ids`,
  );
  await client.query(
    `insert into twitch_accounts (twitch_id, user_id, login, display_name, access_token_sealed, refresh_token_sealed, scopes, token_obtained_at_ms, token_lifetime_seconds, linked_at_ms)
     select id, 'user-' || id, 'demo', 'Demo', '', '', '[]', 1, 1, 1 from (select ${registered}) ids`,
  );
  await client.query('create table minute_channels (like channels including all)');
  await client.query('insert into minute_channels select * from channels');
  for (const table of makeTables('bigint')) await client.query(table);
  await client.query(
    'insert into minute_watch_times select channel_id, twitch_id, seconds, next_check_seconds, 0, null from watch_times',
  );
  await client.query('vacuum analyze');
}

type Chat = ReturnType<typeof changingChat>;

interface Cost {
  cpuMs: number;
  walBytes: number;
}
type Costs = Record<'intervals' | 'rows', Cost>;

/** Makes a checkpoint: the next change of each page logs it whole, compressed or not. */
async function checkpoint(observer: pg.Client, compression: 'off' | 'lz4'): Promise<void> {
  await observer.query(`alter system set wal_compression = ${compression}`);
  await observer.query('select pg_reload_conf()');
  await observer.query('checkpoint');
}

/** The cost of some work to this process and to the server's processes for this database. */
async function costOf(observer: pg.Client, work: () => Promise<unknown>): Promise<Cost> {
  const [server, wal, own] = [await serverCpu(observer), await walOf(observer), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(own);
  const cpuMs = (user + system) / 1000 + (await serverCpu(observer)) - server;
  return { cpuMs, walBytes: (await walOf(observer)) - wal };
}

/** The CPU time of the connections to this database. Vacuuming is left out: it comes and goes as it likes. */
async function serverCpu(observer: pg.Client): Promise<number> {
  const { rows } = await observer.query<{ pid: number }>(
    "select pid from pg_stat_activity where datname = current_database() and backend_type = 'client backend'",
  );
  const ticks = rows.map(({ pid }) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  });
  // The kernel counts in hundredths of a second.
  return ticks.reduce((sum, each) => sum + each, 0) * 10;
}

async function walOf(observer: pg.Client): Promise<number> {
  const { rows } = await observer.query("select pg_current_wal_lsn() - '0/0'::pg_lsn as bytes");
  return Number(rows[0].bytes);
}

/** Each statement is prepared once on each connection. */
function asking(client: pg.PoolClient, names: Map<string, string>): Ask {
  return async (text, ...values) => {
    const name = names.get(text) ?? `minute_${names.size}`;
    names.set(text, name);
    return (await client.query({ name, text, values })).rows;
  };
}

const inLanes = (count: number, work: (place: number) => Promise<unknown>) =>
  Promise.all(
    Array.from({ length: LANES }, async (_, lane) => {
      for (let place = lane; place < count; place += LANES) await work(place);
    }),
  );

const walOfBoth = (when: string, { intervals, rows }: Costs) => ({
  [`walMB${when}`]: rounded(intervals.walBytes / 1e6, 1),
  [`rowsWalMB${when}`]: rounded(rows.walBytes / 1e6, 1),
});

/** Both ways to credit a minute of these chats. */
function waysOf(db: Database, pool: pg.Pool, chats: readonly Chat[]) {
  const names = new Map<string, string>();
  const remembered: Remembered = new Map();
  return {
    intervals: (nowMs: number) =>
      inLanes(Math.ceil(chats.length / TOGETHER), async (group) => {
        const readings = chats.slice(group * TOGETHER, (group + 1) * TOGETHER).map(({ here }, place) => {
          const channelId = channelOf(group * TOGETHER + place);
          return { reading: { channelId, streamId: 's1', twitchIds: new Set(here) }, nowMs };
        });
        await Promise.all(await accrueWatchTimes(db, readings, remembered));
      }),
    rows: (untilMs: number) =>
      inLanes(chats.length, async (place) => {
        const client = await pool.connect();
        await client.query('begin isolation level read committed');
        const twitchIds = JSON.stringify(chats[place]?.here);
        await creditMinute(asking(client, names), dialect, {
          channelId: channelOf(place),
          twitchIds,
          untilMs,
        });
        await client.query('commit');
        client.release();
      }),
  };
}

/** A minute of all live channels by intervals, a hundred channels in a transaction, and by a row for each chatter. */
export async function compareOnPostgres(serverUrl: string, shape: Shape) {
  await using databases = await makeDatabases(serverUrl, { history: false });
  await preparing(databases.url, async (db) => addRule(db, await addStreamer(db), { rewards: 0 }));
  const observer = await connect(databases.url);
  await seed(observer, shape);
  const db = await openPostgres(databases.url, LANES);
  const pool = new pg.Pool({ connectionString: databases.url, max: LANES });
  const chats = Array.from({ length: shape.channels }, (_, place) => changingChat(place, shape));
  const ways = waysOf(db, pool, chats);
  let round = 0;
  const minuteOf = async (before = async () => {}): Promise<Costs> => {
    round += 1;
    for (const chat of chats) chat.minute();
    const nowMs = START_MS + round * minute;
    await before();
    const rows = await costOf(observer, () => ways.rows(nowMs));
    await before();
    return { rows, intervals: await costOf(observer, () => ways.intervals(nowMs)) };
  };
  // In the first minute everybody comes, and pages are logged whole that the later ones change.
  await minuteOf();
  const costs: Costs[] = [];
  while (costs.length < ROUNDS) costs.push(await minuteOf());
  const afterCheckpoint = await minuteOf(() => checkpoint(observer, 'off'));
  const compressed = await minuteOf(() => checkpoint(observer, 'lz4'));
  const { rows: differing } = await observer.query(
    `select count(*)::int as n from minute_watch_times m left join (watch_times w join channels c on c.id = w.channel_id)
       on w.channel_id = m.channel_id and w.twitch_id = m.twitch_id
     where m.seconds <> w.seconds + coalesce(c.counted - w.since, 0) or w.twitch_id is null`,
  );
  await Promise.all([db.close(), pool.end(), observer.end()]);
  if (differing[0].n !== 0) throw new Error(`${differing[0].n} totals differ`);
  const medianOf = (value: (one: Costs) => number, digits = 3) => rounded(median(costs.map(value)), digits);
  return {
    cpuMs: medianOf(({ intervals }) => intervals.cpuMs, 0),
    rowsCpuMs: medianOf(({ rows }) => rows.cpuMs, 0),
    cpuRatio: medianOf(({ intervals, rows }) => intervals.cpuMs / rows.cpuMs),
    walMB: medianOf(({ intervals }) => intervals.walBytes / 1e6, 1),
    rowsWalMB: medianOf(({ rows }) => rows.walBytes / 1e6, 1),
    walRatio: medianOf(({ intervals, rows }) => intervals.walBytes / rows.walBytes),
    ...walOfBoth('AfterCheckpoint', afterCheckpoint),
    ...walOfBoth('AfterCheckpointCompressed', compressed),
  };
}
