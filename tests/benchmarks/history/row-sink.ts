import type BetterSqlite from 'better-sqlite3';
import { getTableColumns, getTableName, is, SQL } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import type pg from 'pg';
import { steamAccounts, twitchAccounts } from '#db/schema/account.ts';
import { checkouts, stripeCustomers, stripeEvents, subscriptions, trials } from '#db/schema/billing.ts';
import { bots } from '#db/schema/bot.ts';
import { channels, follows, subscribers, watchDays, watchGaps, watchTimes } from '#db/schema/channel.ts';
import { draws, kindWeights } from '#db/schema/draw.ts';
import { items, ledgerEntries } from '#db/schema/item.ts';
import { events, mails } from '#db/schema/outbox.ts';
import { customRewards, redemptions } from '#db/schema/redemption.ts';
import { endedRewards, rewards } from '#db/schema/reward.ts';
import { qualifications, rules, watchBaselines } from '#db/schema/rule.ts';
import { transferItems, transferSteps, transfers } from '#db/schema/transfer.ts';
import { sessions, users } from '#db/schema/user.ts';

/** The tables of a history, in order of their references. */
const tables: PgTable[] = [
  users,
  sessions,
  twitchAccounts,
  steamAccounts,
  stripeCustomers,
  subscriptions,
  checkouts,
  trials,
  stripeEvents,
  bots,
  channels,
  rules,
  items,
  rewards,
  endedRewards,
  kindWeights,
  draws,
  customRewards,
  redemptions,
  transfers,
  transferItems,
  transferSteps,
  ledgerEntries,
  watchTimes,
  watchDays,
  watchGaps,
  watchBaselines,
  follows,
  subscribers,
  qualifications,
  mails,
  events,
];

/** Collects rows in any order. Rows may be changed until the next flush, which writes them all. */
export class RowSink {
  readonly #rows = new Map<PgTable, object[]>(tables.map((table) => [table, []]));
  readonly #write: WriteRows;
  #waiting = 0;

  constructor(write: WriteRows) {
    this.#write = write;
  }

  add<T extends PgTable, R extends T['$inferInsert']>(table: T, row: R): R {
    const rows = this.#rows.get(table);
    if (!rows) throw new Error(`${getTableName(table)} is not among the tables of a history`);
    rows.push(row as object);
    this.#waiting++;
    return row;
  }

  /** Writes the collected rows once there are enough. */
  async flush(least = 0): Promise<void> {
    if (this.#waiting < least) return;
    for (const [table, rows] of this.#rows) {
      if (rows.length > 0) await this.#write(table, rows);
      rows.length = 0;
    }
    this.#waiting = 0;
  }
}

type WriteRows = (table: PgTable, rows: readonly object[]) => Promise<void> | void;

/** The form in which a row's values are passed to the driver, by column, with drizzle's defaults. */
function columnsOf(table: PgTable) {
  return Object.entries(getTableColumns(table) as Record<string, PgColumn>).map(([key, column]) => {
    const missing = column.default === undefined || is(column.default, SQL) ? null : column.default;
    const toDriver = (value: unknown) => (value === null ? null : column.mapToDriverValue(value));
    const reported = (row: object): unknown => toDriver((row as Record<string, unknown>)[key] ?? missing);
    return { name: `"${column.name}"`, type: column.getSQLType(), reported };
  });
}

/** Writes with prepared statements, inside the caller's transaction. */
export function intoSqlite(connection: BetterSqlite.Database): WriteRows {
  const writers = new Map<PgTable, (row: object) => void>();
  const writerOf = (table: PgTable) => {
    const columns = columnsOf(table);
    const names = columns.map(({ name }) => name).join(', ');
    const places = columns.map(() => '?').join(', ');
    const insert = connection.prepare(`insert into ${getTableName(table)} (${names}) values (${places})`);
    return (row: object) => insert.run(columns.map(({ reported }) => reported(row)));
  };
  return (table, rows) => {
    const write = writers.get(table) ?? writerOf(table);
    writers.set(table, write);
    for (const row of rows) write(row);
  };
}

/** Writes thousands of rows in one statement, with an array per column. */
export function intoPostgres(client: pg.Client): WriteRows {
  const MAX = 5_000;
  return async (table, rows) => {
    const columns = columnsOf(table);
    const names = columns.map(({ name }) => name).join(', ');
    const arrays = columns.map(({ type }, place) => `$${place + 1}::${type}[]`).join(', ');
    const insert = `insert into ${getTableName(table)} (${names}) select * from unnest(${arrays})`;
    for (let from = 0; from < rows.length; from += MAX) {
      const some = rows.slice(from, from + MAX);
      await client.query(
        insert,
        columns.map(({ reported }) => some.map(reported)),
      );
    }
  };
}
