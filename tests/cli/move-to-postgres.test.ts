import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished } from 'vitest';
import { openSqlite } from '#db/database.ts';
import { openText, sealColumnsWith } from '#db/engine/sealed-text.ts';
import { migratePostgres, migrateSqlite } from '#db/migrate.ts';
import { askPostgres } from '#tests/support/ask-postgres.ts';
import { BetterSqlite } from '#tests/support/better-sqlite.ts';
import { startCuttingProxy } from '#tests/support/cutting-proxy.ts';
import { testKey, testVault } from '#tests/support/database.ts';
import { addBot, addStreamer, asset, deposit } from '#tests/support/fixtures.ts';
import { makePostgres, onServer } from '#tests/support/own-postgres.ts';
import { bundleOf } from '#tests/support/processes.ts';
import { runMoveToPostgres } from '../../cli/move-to-postgres.ts';

const ODD = 'tab\t, line\n, back\\slash, \\N, quote " and 日本語 🎁';

let dataFolder: string;
const storeFile = () => join(dataFolder, 'keepsake.db');
const movedFile = () => `${storeFile()}.moved`;

/** An instance's data folder with two items in custody, and values that the databases store differently. */
beforeEach(async () => {
  dataFolder = mkdtempSync(join(tmpdir(), 'keepsake-move-'));
  onTestFinished(() => rmSync(dataFolder, { recursive: true, force: true }));
  sealColumnsWith(testVault);
  await migrateSqlite(storeFile());
  const db = await openSqlite(storeFile());
  await addBot(db, 'bot-1');
  const streamer = await addStreamer(db);
  await deposit(db, streamer, [asset(), asset()]);
  await db.close();
  inFile((file) => {
    file.exec("update bots set protection_acknowledged = 1, fault = null, profile_name = ''");
    file.prepare('update items set name = ?').run(ODD);
    file.prepare('update users set created_at_ms = ?').run(Number.MAX_SAFE_INTEGER);
    file
      .prepare(
        "insert into mails (id, recipient, template, locale, \"values\", created_at_ms, run_at_ms) values ('m', 'r', 't', 'en', ?, 1, 1)",
      )
      .run('{"b": "\\u00e9\\t", "a" : "1"}');
  });
});

function inFile<T>(act: (file: InstanceType<typeof BetterSqlite>) => T): T {
  const file = new BetterSqlite(storeFile());
  try {
    return act(file);
  } finally {
    file.close();
  }
}

async function move(url: string, { key = testKey, meanwhile = (_line: string) => {} } = {}) {
  const lines: string[] = [];
  const say = (line: string) => {
    lines.push(line);
    meanwhile(line);
  };
  const environment = { KEEPSAKE_DATA_DIR: dataFolder, DATABASE_URL: url, ENCRYPTION_KEY: key };
  const isMoved = await runMoveToPostgres(environment, { print: say, fail: say });
  return { isMoved, said: lines.join('\n') };
}

const tablesIn = async (url: string) =>
  (await askPostgres(url, "select 1 from pg_tables where schemaname in ('public', 'drizzle')")).length;

/** All that a schema says, however it came to be. */
const schemaOf = async (url: string) => ({
  indexes: await askPostgres(
    url,
    "select indexdef from pg_indexes where schemaname = 'public' order by indexdef",
  ),
  constraints: await askPostgres(
    url,
    "select conrelid::regclass::text, conname, convalidated, pg_get_constraintdef(oid) from pg_constraint where connamespace = 'public'::regnamespace order by 1, 2",
  ),
  sequences: await askPostgres(url, "select sequencename from pg_sequences where schemaname = 'public'"),
});

onServer('Everything is moved as it was, and the product goes on with it', async () => {
  const token = inFile((file) => file.prepare('select trade_token from steam_accounts').pluck().get());
  const url = await makePostgres();
  const { isMoved, said } = await move(url);
  expect([isMoved, said]).toEqual([
    true,
    expect.stringMatching(/items: 2 rows[\s\S]+rows moved and compared/),
  ]);
  const ask = (query: string) => askPostgres(url, query);
  expect(await ask('select protection_acknowledged, fault, profile_name from bots')).toEqual([
    { protection_acknowledged: true, fault: null, profile_name: '' },
  ]);
  expect(await ask('select distinct name from items')).toEqual([{ name: ODD }]);
  expect(await ask('select distinct created_at_ms from users')).toEqual([
    { created_at_ms: String(Number.MAX_SAFE_INTEGER) },
  ]);
  expect(await ask("select values from mails where id = 'm'")).toEqual([{ values: { a: '1', b: 'é\t' } }]);
  expect(token).toMatch(/^sealed:/);
  expect(await ask('select trade_token from steam_accounts')).toEqual([{ trade_token: token }]);
  expect([existsSync(storeFile()), existsSync(movedFile())]).toEqual([false, true]);
  const fresh = await makePostgres();
  await migratePostgres(fresh);
  const schema = await schemaOf(url);
  expect(schema).toEqual(await schemaOf(fresh));
  // A new one would have to be set after the copy.
  expect(schema.sequences).toEqual([]);
  const { stdout } = spawnSync(process.execPath, [bundleOf('keepsake'), 'audit'], {
    env: {
      PATH: process.env.PATH ?? '',
      KEEPSAKE_DATA_DIR: dataFolder,
      DATABASE_URL: url,
      ENCRYPTION_KEY: testKey,
    },
    encoding: 'utf8',
  });
  expect(stdout).toBe('2 items compared with the ledger, 0 differ.\n');
});

onServer('Nothing is moved while a process has the database open, or under another key', async () => {
  const url = await makePostgres();
  const db = await openSqlite(storeFile());
  expect(await move(url)).toEqual({ isMoved: false, said: expect.stringContaining('stop Keepsake first') });
  await db.close();
  const underOther = await move(url, { key: 'ab'.repeat(32) });
  expect(underOther).toEqual({ isMoved: false, said: expect.stringContaining('encrypted with another key') });
  expect([await tablesIn(url), existsSync(storeFile())]).toEqual([0, true]);
});

onServer('A database with tables or rows of others, or of another version, is refused as it is', async () => {
  const withTable = await makePostgres();
  await askPostgres(withTable, 'create table guests (name text)');
  expect((await move(withTable)).said).toContain('it has a table guests, which is not ours');
  const inUse = await makePostgres();
  await migratePostgres(inUse);
  await askPostgres(inUse, "insert into alarms (key, mailed_at_ms) values ('a', 1)");
  expect((await move(inUse)).said).toMatch(
    /not empty, and not this instance's: alarms has 1 rows in PostgreSQL and 0/,
  );
  const older = await makePostgres();
  await migratePostgres(older);
  const steps = 'drizzle.__drizzle_migrations';
  await askPostgres(older, `delete from ${steps} where created_at = (select max(created_at) from ${steps})`);
  expect((await move(older)).said).toContain('the schema of an older version');
  await askPostgres(older, `insert into ${steps} (hash, created_at) values ('', 9e12)`);
  expect((await move(older)).said).toContain('the schema of a newer version');
  inFile((file) => file.exec('delete from __drizzle_migrations where created_at > 1795446666797'));
  expect((await move(await makePostgres())).said).toContain('the schema of another version');
  expect(existsSync(storeFile())).toBe(true);
});

onServer(
  'Processes that were killed on either database are not moved, and keep nobody from moving',
  async () => {
    const url = await makePostgres();
    await migratePostgres(url);
    const killed = (id: string) =>
      `insert into processes (id, role, version, schema, until_ms) values ('${id}', 'web', '0.1.0', 1, 1)`;
    await askPostgres(url, killed('there'));
    inFile((file) => file.exec(killed('here')));
    expect(await move(url)).toMatchObject({ isMoved: true });
    expect(await askPostgres(url, 'select id from processes')).toEqual([{ id: 'there' }]);
  },
);

onServer('What PostgreSQL cannot store, or stores differently, leaves both as they were', async () => {
  const url = await makePostgres();
  await migratePostgres(url);
  // Of fixed width: what is shorter is padded.
  await askPostgres(url, 'alter table items alter column icon_url type char(200)');
  inFile((file) => file.exec("update items set icon_url = 'shiny'"));
  expect((await move(url)).said).toContain('Nothing was moved: after copying, rows of items differ.');
  expect(await askPostgres(url, 'select 1 from users')).toEqual([]);
  inFile((file) => file.prepare('update users set name = ?').run('a\0b'));
  const empty = await makePostgres();
  expect((await move(empty)).said).toContain('users.name contains a NUL character');
  expect([await tablesIn(empty), existsSync(storeFile())]).toEqual([0, true]);
});

onServer('After a commit whose answer was lost, repeating completes the move', async () => {
  const url = await makePostgres();
  const proxy = await startCuttingProxy(url);
  onTestFinished(() => proxy.close());
  proxy.cutOnce({ at: 'commit\0', when: 'answered' });
  inFile((file) => file.exec("update steam_accounts set trade_token = 'aBcD1234'"));
  const { isMoved, said } = await move(proxy.url);
  expect([isMoved, said]).toEqual([false, expect.stringContaining('Repeat this command')]);
  expect(said).not.toContain('Nothing was moved');
  expect(existsSync(storeFile())).toBe(true);
  expect(await move(url)).toEqual({ isMoved: true, said: expect.stringContaining('in PostgreSQL already') });
  expect([existsSync(storeFile()), existsSync(movedFile())]).toEqual([false, true]);
  // A process of an older version had stored it plain.
  const [account] = await askPostgres<{ trade_token: string }>(url, 'select trade_token from steam_accounts');
  expect(
    account?.trade_token.startsWith('sealed:') && openText(account.trade_token, 'steam_accounts.trade_token'),
  ).toBe('aBcD1234');
  expect(
    readdirSync(dataFolder).filter((name) => readFileSync(join(dataFolder, name)).includes('aBcD1234')),
  ).toEqual([]);
});

onServer('Once PostgreSQL has it, nothing says that it has not', async () => {
  const url = await makePostgres();
  const { isMoved, said } = await move(url, {
    meanwhile: (line) => void (line.startsWith('Comparing') && mkdirSync(movedFile())),
  });
  expect([isMoved, said]).toEqual([
    false,
    expect.stringMatching(/rows moved and compared[\s\S]+Move it elsewhere/),
  ]);
  expect(said).not.toContain('Nothing was moved');
  expect(await askPostgres(url, 'select id from items')).toHaveLength(2);
});

onServer('A process that was started on PostgreSQL too early writes nothing beside the move', async () => {
  const url = await makePostgres();
  await migratePostgres(url);
  const write = "set lock_timeout = '1ms'; insert into alarms (key, mailed_at_ms) values ('a', 1)";
  let early: Promise<string> | null = null;
  const { isMoved } = await move(url, {
    meanwhile: (line) => {
      if (line.startsWith('bots:'))
        early = askPostgres(url, write).then(
          () => 'written',
          ({ message }: Error) => message,
        );
    },
  });
  expect([isMoved, await early]).toEqual([true, expect.stringContaining('lock timeout')]);
});
