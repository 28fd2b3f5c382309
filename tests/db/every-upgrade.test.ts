import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { expect, onTestFinished, test } from 'vitest';
import type { Reader } from '#db/database.ts';
import { isPostgres } from '#db/dialect.ts';
import { type RawConnection, sealStored } from '#db/engine/seal-stored.ts';
import { applyPostgresSteps, migrateSqlite, migrationsFolder, rawSqlite } from '#db/migrate.ts';
import { BetterSqlite } from '#tests/support/better-sqlite.ts';
import { testVault } from '#tests/support/database.ts';
import { type Column, columnsOf, fillTables, rowsOf } from '#tests/support/filled-tables.ts';
import { landedSteps, stepsBefore } from '#tests/support/landed-steps.ts';
import { makePostgres } from '#tests/support/own-postgres.ts';
import { serverUrl } from '#tests/support/postgres-server.ts';
import { damageOf, factsIn, factsOf } from '../../cli/backup/store-facts.ts';

/** The values that upgrades change in existing rows; all other values stay. */
const changed = new Set(['rules.seed', 'steam_accounts.trade_token', 'transfers.trade_token']);
/** Columns that a step replaces by others. */
const dropped = new Set([
  'bots.lease_holder',
  'bots.lease_until_ms',
  'chat_accounts.lease_holder',
  'chat_accounts.lease_until_ms',
  'raffles.seal_line_id',
]);
const staying = (columns: readonly Column[]) =>
  columns.filter(({ table, name }) => ![changed, dropped].some((set) => set.has(`${table}.${name}`)));

/** A store whose schema is of some step, and its migration to the newest. */
interface Released {
  raw: RawConnection;
  upgrade(): Promise<void>;
  /** Lists its faults afterwards. */
  faults(): Promise<unknown[]>;
}

/** Goes through every step; `use` gets a store that has had all before it. */
type Walk = (use: (step: string, store: Released) => Promise<void>) => Promise<void>;

const throughSqlite: Walk = async (use) => {
  const folder = mkdtempSync(join(process.env.TEST_STORES || tmpdir(), 'keepsake-upgrades-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const template = join(folder, 'template.db');
  for (const step of landedSteps('sqlite').slice(1)) {
    await migrateSqlite(template, null, stepsBefore('sqlite', step));
    const file = join(folder, `${step}.db`);
    copyFileSync(template, file);
    const store = new BetterSqlite(file);
    store.pragma('foreign_keys = ON');
    await use(step, {
      raw: rawSqlite(store),
      upgrade: () => migrateSqlite(file, testVault),
      faults: async () => [await damageOf(file), ...(await factsOf(file)).drifts].filter(Boolean),
    });
    store.close();
  }
};

/** An empty PostgreSQL: on the server if there is one, otherwise in this process. */
async function openPostgres(): Promise<{ raw: RawConnection; reader: Reader }> {
  const place = (number: number) => `$${number}`;
  if (!serverUrl) {
    const { PGlite } = await import('@electric-sql/pglite');
    const { drizzle } = await import('drizzle-orm/pglite');
    const store = await PGlite.create();
    onTestFinished(() => store.close());
    const run: RawConnection['run'] = async (query, values) =>
      values.length > 0
        ? (await store.query(query, [...values])).rows
        : ((await store.exec(query)).at(-1)?.rows ?? []);
    return { raw: { dialect: 'postgres', place, run }, reader: drizzle(store) as unknown as Reader };
  }
  const { default: pg } = await import('pg');
  const { drizzle } = await import('drizzle-orm/node-postgres');
  const client = new pg.Client({ connectionString: await makePostgres() });
  await client.connect();
  onTestFinished(() => client.end());
  const run: RawConnection['run'] = async (query, values) =>
    (await (values.length > 0 ? client.query(query, [...values]) : client.query(query))).rows;
  return { raw: { dialect: 'postgres', place, run }, reader: drizzle(client) as unknown as Reader };
}

/** In one transaction, which returns to each step after its upgrade: to copy a database each time takes far longer. */
const throughPostgres: Walk = async (use) => {
  const { raw, reader } = await openPostgres();
  const steps = readMigrationFiles({ migrationsFolder: migrationsFolder.postgres });
  await raw.run('begin', []);
  for (const [index, step] of landedSteps('postgres').slice(1).entries()) {
    await applyPostgresSteps(raw, steps.slice(index, index + 1));
    await raw.run('savepoint released', []);
    await use(step, {
      raw,
      async upgrade() {
        await applyPostgresSteps(raw, steps.slice(index + 1));
        await sealStored(raw, testVault);
      },
      faults: async () => (await factsIn(reader)).drifts,
    });
    await raw.run('rollback to released', []);
  }
  await raw.run('rollback', []);
};

const DAY_MS = 86_400_000;
const whole = "'channels.id whole'";

/**
 * The steps that write rows: the rows that they find besides one of every table, and those that they leave.
 */
const backfills: Record<string, { given: string[]; asked: string; answered: unknown[] }> = {
  '0001_lists_over_rules': {
    given: [],
    asked: 'select owner_id, channel_id from rewards order by id',
    answered: ['least', 'whole'].map((kind) => ({
      owner_id: `users.id ${kind}`,
      channel_id: `channels.id ${kind}`,
    })),
  },
  '0002_numbers_by_day': {
    given: [
      `update channels set rolled_up_to_ms = 0, follows_read_at_ms = ${2 * DAY_MS + 5}, subscribers_read_at_ms = ${2 * DAY_MS + 6} where id = ${whole}`,
      `insert into watch_days (channel_id, day_ms, twitch_id, seconds) values (${whole}, 0, 'a', 100), (${whole}, 0, 'b', 50)`,
      `insert into watch_times (channel_id, twitch_id, seconds, next_check_seconds, rolled_seconds) values (${whole}, 'a', 130, 999, 100), (${whole}, 'b', 50, 999, 50)`,
      `insert into follows (channel_id, twitch_id, followed_at_ms) values (${whole}, 'a', 1), (${whole}, 'b', 1)`,
      `insert into subscribers (channel_id, twitch_id, tier) values (${whole}, 'a', 1)`,
      `update redemptions set state = 'refunded', redeemed_at_ms = ${2 * DAY_MS + 7} where id = 'redemptions.id whole'`,
    ],
    asked: `select channel_id || ' day ' || (day_ms / ${DAY_MS}) as day, watch_seconds || '/' || live_seconds as watched,
        coalesce(followers, -1) || '/' || coalesce(subscribers, -1) as people, redeemed || '/' || refunded as redeemed
      from channel_days where channel_id like 'channels.id %' order by channel_id, day_ms`,
    answered: [
      { day: 'channels.id least day 0', watched: '0/0', people: '-1/-1', redeemed: '1/0' },
      { day: 'channels.id whole day 0', watched: '180/100', people: '-1/-1', redeemed: '0/0' },
      { day: 'channels.id whole day 2', watched: '0/0', people: '2/1', redeemed: '1/1' },
    ],
  },
  '0020_removed_trade_tokens': {
    given: [],
    asked: `select state, case when trade_token = '' then 'removed' when trade_token like 'sealed:%' then 'sealed' end as token
      from transfers order by id`,
    answered: [
      { state: 'queued', token: 'sealed' },
      { state: 'settled', token: 'removed' },
    ],
  },
  '0025_counted_changes': {
    given: [
      "update rules set type = 'random' where id = 'rules.id whole'",
      "update draws set number = 3 where rule_id = 'rules.id whole'",
      `insert into pool_changes (id, rule_id, after_draw, at_ms, app_id, market_hash_name)
       values ('another', 'rules.id whole', 3, 1, 730, 'Kilowatt Case')`,
    ],
    asked: `select change_count || '/' || changes_from_draw as counted from rules order by id`,
    answered: [{ counted: '0/0' }, { counted: '2/3' }],
  },
  '0026_unrolled_time': {
    given: [],
    asked: `select id, case when has_unrolled_time then 'some' else 'none' end as unrolled from channels order by id`,
    answered: [
      { id: 'channels.id least', unrolled: 'none' },
      { id: 'channels.id whole', unrolled: 'some' },
    ],
  },
  '0027_counted_endings': {
    given: [
      "update rules set state = 'closed', closed_at_ms = 7",
      "update rewards set state = 'claimed' where id = 'rewards.id whole'",
      "update rewards set state = 'recalled' where id = 'rewards.id least'",
      "update qualifications set rule_id = 'rules.id whole'",
      "update watch_baselines set rule_id = 'rules.id whole'",
    ],
    asked: `select 'claim on a rule of ' || coalesce(rule_owner_id, 'nobody') as reported from transfers
      union all select 'ended on ' || rule_id || ': ' || kind_name || ' ' || claimed || '/' || recalled from ended_rewards
      union all select 'pruned ' || id || ' at ' || coalesce(pruned_at_ms, -1) from rules order by 1`,
    answered: [
      { reported: 'claim on a rule of nobody' },
      { reported: 'claim on a rule of users.id whole' },
      { reported: 'ended on rules.id least: items.market_hash_name least 0/1' },
      { reported: 'ended on rules.id whole: items.market_hash_name whole\nitems.traits whole 1/0' },
      { reported: 'pruned rules.id least at 7' },
      { reported: 'pruned rules.id whole at -1' },
    ],
  },
  '0033_paid_until': {
    given: [
      "update subscriptions set state = 'grace', period_start_ms = 5, period_end_ms = 8 where id = 'subscriptions.id least'",
      "update subscriptions set state = 'active', period_start_ms = 6, period_end_ms = 9 where id = 'subscriptions.id whole'",
    ],
    asked: `select state, 'paid until ' || coalesce(paid_until_ms, -1) || ', failed at ' || coalesce(failed_at_ms, -1) as paid
      from subscriptions order by id`,
    answered: [
      { state: 'grace', paid: 'paid until -1, failed at 5' },
      { state: 'active', paid: 'paid until 9, failed at -1' },
    ],
  },
  // A bot of the version before may run on: its own leases are kept, and the rest of its work waits as long.
  '0059_leases': {
    given: [
      "update bots set lease_holder = 'one', lease_until_ms = 7 where id = 'bots.id whole'",
      "update chat_accounts set lease_holder = 'two', lease_until_ms = 9 where twitch_id = 'chat_accounts.twitch_id whole'",
    ],
    asked: `select name || ': ' || holder || ' until ' || until_ms as lease from leases where name not like 'leases.%'
      union all select id || ' in epoch ' || lease_epoch from bots order by 1`,
    answered: [
      { lease: 'billing: the version before until 9' },
      { lease: 'bots.id least in epoch 0' },
      { lease: 'bots.id whole in epoch 1' },
      { lease: 'chat:chat_accounts.twitch_id whole: two until 9' },
      { lease: 'housekeeping: the version before until 9' },
      { lease: 'mails: the version before until 9' },
      { lease: 'steam: one until 7' },
      { lease: 'twitch:0: the version before until 9' },
    ],
  },
  '0060_presence_intervals': {
    given: [
      `insert into watch_times (channel_id, twitch_id, seconds, next_check_seconds) values (${whole}, 'a', 600, 601), (${whole}, 'b', 600, 600)`,
    ],
    asked: `select twitch_id || ': ' || seconds || ', since ' || coalesce(since, -1) || ', due at ' || coalesce(cross_at, -1) as viewer
      from watch_times where twitch_id in ('a', 'b') order by twitch_id`,
    answered: [{ viewer: 'a: 600, since -1, due at -1' }, { viewer: 'b: 600, since -1, due at 0' }],
  },
  // A line that is no longer stored was taken by a bot; one that is still stored, of a raffle drawn, was not.
  '0069_closed_rules_ask_nothing': {
    given: [
      "update raffles set state = 'over', sealed_at_ms = 5, drawn_at_ms = 9, seal_line_id = 'taken' where id = 'raffles.id whole'",
      `update raffles set state = 'drawn', sealed_at_ms = 6, drawn_at_ms = 8, seal_line_id = (select max(id) from chat_announcements)
       where id = 'raffles.id least'`,
    ],
    asked: "select id, coalesce(announced_at_ms, -1) || '' as announced from raffles order by id",
    answered: [
      { id: 'raffles.id least', announced: '-1' },
      { id: 'raffles.id whole', announced: '5' },
    ],
  },
};

/** SQLite changes a check by a new table, into which all rows are copied as they are. */
const unchangedCopies = /^INSERT INTO `__new_(\w+)`\(([^)]+)\) SELECT \2 FROM `\1`;/gm;

const dialect = isPostgres ? 'postgres' : 'sqlite';

test('What each step writes into rows is known here', () => {
  const writing = landedSteps(dialect).filter((step) =>
    /^(update|insert|delete|with)\b/im.test(
      readFileSync(join(migrationsFolder[dialect], `${step}.sql`), 'utf8').replaceAll(unchangedCopies, ''),
    ),
  );
  expect(Object.keys(backfills)).toEqual(writing);
});

test('The schema of every step is migrated to the newest with all that is in its tables', async () => {
  const walked: string[] = [];
  await (isPostgres ? throughPostgres : throughSqlite)(async (step, { raw, upgrade, faults }) => {
    await fillTables(raw);
    const backfill = backfills[step];
    for (const statement of backfill?.given ?? []) await raw.run(statement, []);
    const columns = staying(await columnsOf(raw));
    const before = await rowsOf(raw, columns);
    expect(Math.min(...Object.values(before).map((rows) => rows.length)), step).toBe(2);
    await upgrade();
    expect(await rowsOf(raw, columns), step).toEqual(before);
    expect(await faults(), step).toEqual([]);
    if (backfill) expect(await raw.run(backfill.asked, []), step).toEqual(backfill.answered);
    walked.push(step);
  });
  expect(walked).toEqual(landedSteps(dialect).slice(1));
});
