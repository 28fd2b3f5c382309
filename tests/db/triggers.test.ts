import { sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { isPostgres } from '#db/dialect.ts';
import { openTestDatabase } from '#tests/support/database.ts';

/** No schema in the sources names them, and SQLite drops those of a table that a migration rebuilds. */
const wanted = {
  sqlite: {
    channels: ['channels_counted_delete', 'channels_counted_insert', 'channels_counted_update'],
    ledger_entries: ['ledger_entries_no_delete', 'ledger_entries_no_update'],
    raffles: ['raffles_counted_delete', 'raffles_counted_insert', 'raffles_counted_update'],
    rules: ['rules_counted_delete', 'rules_counted_insert', 'rules_counted_update'],
    twitch_accounts: [
      'twitch_accounts_counted_delete',
      'twitch_accounts_counted_insert',
      'twitch_accounts_counted_update',
    ],
  },
  postgres: {
    channels: ['channels_counted_delete', 'channels_counted_insert', 'channels_counted_update'],
    ledger_entries: ['ledger_entries_append_only'],
    raffles: ['raffles_counted', 'raffles_counted_update'],
    rules: ['rules_counted', 'rules_counted_update'],
    twitch_accounts: ['twitch_accounts_counted', 'twitch_accounts_counted_update'],
  },
};

test('A migrated database has exactly the triggers that the steps made, none of which a later one has dropped', async () => {
  await using db = await openTestDatabase();
  const [source, where] = isPostgres
    ? [
        sql`(select tgname as name, tgrelid::regclass::text as owner from pg_trigger where not tgisinternal) as found`,
        sql`true`,
      ]
    : [sql`(select name, tbl_name as owner, type from sqlite_master) as found`, sql`type = 'trigger'`];
  const rows = await db.read
    .select({ name: sql<string>`name`, owner: sql<string>`owner` })
    .from(source)
    .where(where)
    .orderBy(sql`owner, name`);
  const found: Record<string, string[]> = {};
  for (const { name, owner } of rows) found[owner] = [...(found[owner] ?? []), name].sort();
  expect(found).toEqual(wanted[isPostgres ? 'postgres' : 'sqlite']);
});
