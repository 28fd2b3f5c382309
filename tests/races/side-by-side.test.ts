import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { migratePostgres } from '#db/migrate.ts';
import { askPostgres } from '#tests/support/ask-postgres.ts';
import { stepsWith } from '#tests/support/landed-steps.ts';
import { makePostgres, onServer } from '#tests/support/own-postgres.ts';
import { serverUrl } from '#tests/support/postgres-server.ts';
import { sideBySide } from '#tests/support/side-by-side.ts';

test.skipIf(!serverUrl).for(Object.entries(sideBySide))('On PostgreSQL: %s', async ([, scenario]) => {
  const url = await makePostgres();
  await migratePostgres(url);
  await scenario({
    dialect: 'postgres',
    name: 'The database in DATABASE_URL',
    migrate: (folder, waiting) => migratePostgres(url, null, folder, waiting),
    run: (query) => askPostgres(url, query),
  });
});

/** A connection that holds locks until the test ends. */
async function connectTo(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

onServer(
  'A step that only adds lets others work on while something else holds its table for long',
  async () => {
    const url = await makePostgres();
    await migratePostgres(url);
    const backup = await connectTo(url);
    await backup.query('begin; lock table mails in access share mode');
    const folder = stepsWith('postgres', '-- expands\nalter table mails add column remark text;');
    const said: string[] = [];
    let waits = 0;
    await migratePostgres(url, null, folder, {
      now: Date.now,
      say: (line) => said.push(line),
      async wait() {
        waits += 1;
        // Nobody queues behind the migration between its attempts.
        await askPostgres(url, "set lock_timeout = '30s'; select count(*) from mails");
        if (waits === 2) await backup.query('commit');
      },
    });
    expect([said, waits]).toEqual([['Something uses a table that is to change; trying again.'], 2]);
    const columns = await askPostgres(
      url,
      "select from information_schema.columns where column_name = 'remark'",
    );
    expect(columns.length).toBe(1);
  },
);
