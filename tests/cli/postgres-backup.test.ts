import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { migratePostgres } from '#db/migrate.ts';
import { askPostgres } from '#tests/support/ask-postgres.ts';
import { testKey, testVault } from '#tests/support/database.ts';
import { makePostgres, onServer } from '#tests/support/own-postgres.ts';
import { bundleOf } from '#tests/support/processes.ts';
import { MANIFEST_FILE, readManifest } from '../../cli/backup/manifest.ts';
import { withRestoredCopy } from '../../cli/backup/postgres-store.ts';
import { addressForTools, runPostgresTool, withDatabase } from '../../cli/backup/postgres-tools.ts';

let dataFolder: string;
beforeEach(() => {
  dataFolder = mkdtempSync(join(tmpdir(), 'keepsake-dump-'));
  onTestFinished(() => rmSync(dataFolder, { recursive: true, force: true }));
});

/** An instance with an item in custody. */
async function makeInstance(): Promise<string> {
  const url = await makePostgres();
  await migratePostgres(url, testVault);
  await askPostgres(
    url,
    `insert into users (id, name, email, locale, created_at_ms) values ('u', 'Demo', 'demo@keepsake.example', 'en', 1);
     insert into bots (id, first_seen_at_ms) values ('bot-1', 1);
     insert into items (id, owner_id, bot_id, app_id, context_id, asset_id, class_id, instance_id, market_hash_name, name, state, locked_until_ms, depositor_steam_id, received_at_ms)
       values ('i', 'u', 'bot-1', 730, '2', '1', '1', '0', 'Demo', 'Demo', 'held', 1, '1', 1);
     insert into ledger_entries (id, item_id, from_holder, to_holder, cause, at_ms) values ('l', 'i', 'outside', 'held:bot-1', 'deposit', 1)`,
  );
  return url;
}

/** Runs an operator's command as a process of its own: only there the database is PostgreSQL. */
function keepsake(url: string, args: string[], more: Record<string, string> = {}) {
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, [bundleOf('keepsake'), ...args], {
    env: {
      PATH: process.env.PATH ?? '',
      KEEPSAKE_DATA_DIR: dataFolder,
      DATABASE_URL: url,
      ENCRYPTION_KEY: testKey,
      ...more,
    },
    encoding: 'utf8',
    timeout: 60_000,
  });
  expect(signal).toBeNull();
  return { ok: status === 0, said: stdout + stderr };
}

const backupsIn = () =>
  readdirSync(join(dataFolder, 'backups')).filter((name) => name.startsWith('keepsake-'));
const itemsIn = (url: string) => askPostgres(url, 'select name from items');
const databasesLike = (url: string, part: string) =>
  askPostgres<{ datname: string }>(
    withDatabase(url, 'postgres'),
    `select datname from pg_database where datname like '${new URL(url).pathname.slice(1)}${part}' escape '!'`,
  );

onServer(
  'A backup of PostgreSQL is encrypted, proven, and put in place; the old stays beside it',
  async () => {
    const url = await makeInstance();
    const passphrase = { BACKUP_PASSPHRASE: 'a sentence that nobody knows' };
    const made = keepsake(url, ['backup'], passphrase);
    expect(made).toEqual({ ok: true, said: expect.stringContaining('1 items, 1 ledger entries') });
    const folder = join(dataFolder, 'backups', backupsIn()[0] ?? '');
    expect(readFileSync(join(folder, 'keepsake.dump')).includes('PGDMP')).toBe(false);
    expect(keepsake(url, ['drill'])).toEqual({
      ok: false,
      said: expect.stringContaining('BACKUP_PASSPHRASE'),
    });
    expect(keepsake(url, ['drill'], passphrase)).toEqual({
      ok: true,
      said: expect.stringContaining('can be restored: 1 items'),
    });
    expect(await databasesLike(url, '!_proof')).toEqual([]);

    await askPostgres(url, "update items set name = 'later'");
    const connected = new pg.Client({ connectionString: url });
    connected.on('error', () => {});
    await connected.connect();
    const refused = keepsake(url, ['restore', folder], passphrase);
    expect(refused).toEqual({ ok: false, said: expect.stringContaining('stop Keepsake first') });
    await connected.end();
    expect(await itemsIn(url)).toEqual([{ name: 'later' }]);
    const restored = keepsake(url, ['restore', folder], passphrase);
    expect(restored).toEqual({
      ok: true,
      said: expect.stringMatching(/_replaced_\d+[\s\S]+was restored: 1 items/),
    });
    const old = (await databasesLike(url, '%replaced%'))[0]?.datname ?? '';
    onTestFinished(
      async () => void (await askPostgres(withDatabase(url, 'postgres'), `drop database ${old}`)),
    );
    expect(await itemsIn(url)).toEqual([{ name: 'Demo' }]);
    const limit = 'select datconnlimit as limit from pg_database where datname = current_database()';
    expect(await askPostgres(url, limit)).toEqual([{ limit: -1 }]);
    expect(await itemsIn(withDatabase(url, old))).toEqual([{ name: 'later' }]);
  },
);

onServer(
  'A backup that says something else than its dump is refused, and so is one of the other kind',
  async () => {
    const url = await makeInstance();
    expect(keepsake(url, ['backup'])).toMatchObject({ ok: true });
    const folder = join(dataFolder, 'backups', backupsIn()[0] ?? '');
    const manifest = JSON.parse(readFileSync(join(folder, MANIFEST_FILE), 'utf8'));
    writeFileSync(
      join(folder, MANIFEST_FILE),
      JSON.stringify({ ...manifest, counts: { ...manifest.counts, items: 2 } }),
    );
    expect(keepsake(url, ['restore', folder]).said).toContain('it has 1 items instead of 2');
    expect(await itemsIn(url)).toEqual([{ name: 'Demo' }]);
    expect(await databasesLike(url, '!_proof')).toEqual([]);
    expect(keepsake('', ['restore', folder]).said).toContain('it is of PostgreSQL: set DATABASE_URL');
  },
);

onServer('A backup with a key that is not the database’s is refused, and what is here stays', async () => {
  const url = await makeInstance();
  await askPostgres(url, `update bots set refresh_token_sealed = '${testVault.seal('token', 'bot:bot-1')}'`);
  const other = { ENCRYPTION_KEY: Buffer.alloc(32, 8).toString('hex') };
  expect(keepsake(url, ['backup'], other)).toMatchObject({ ok: true });
  const folder = join(dataFolder, 'backups', backupsIn()[0] ?? '');
  const refused = 'its encryption key does not open its database';
  expect(keepsake(url, ['drill'], other).said).toContain(refused);
  expect(keepsake(url, ['restore', folder], other).said).toContain('no encryption key in it or here');
  expect(await databasesLike(url, '!_%')).toEqual([]);
  const unset = { ENCRYPTION_KEY: '' };
  expect(keepsake(url, ['restore', folder], unset).said).toContain('no encryption key in it or here');
  expect(existsSync(join(dataFolder, 'secrets'))).toBe(false);
});

onServer("A restore that cannot be completed, and somebody else's database, change nothing", async () => {
  const url = await makeInstance();
  expect(keepsake(url, ['version']).said).toMatch(/schema (\d+)\ndatabase \1\n/);
  expect(keepsake(url, ['backup'])).toMatchObject({ ok: true });
  const folder = join(dataFolder, 'backups', backupsIn()[0] ?? '');
  await askPostgres(url, "update items set name = 'later'");

  const secrets = join(dataFolder, 'secrets');
  rmSync(secrets, { recursive: true, force: true });
  writeFileSync(secrets, '');
  expect(keepsake(url, ['restore', folder])).toMatchObject({ ok: false });
  expect([await itemsIn(url), await databasesLike(url, '!_%')]).toEqual([[{ name: 'later' }], []]);
  rmSync(secrets);

  const other = new pg.Client({ connectionString: withDatabase(url, 'postgres') });
  await other.connect();
  const proof = `${new URL(url).pathname.slice(1)}_proof`;
  await other.query('select pg_advisory_lock(hashtextextended($1, 0))', [`keepsake proof ${proof}`]);
  expect(keepsake(url, ['restore', folder]).said).toContain('another drill or restore');
  await other.query(`create database ${proof}`);
  await other.end();
  onTestFinished(
    async () => void (await askPostgres(withDatabase(url, 'postgres'), `drop database ${proof}`)),
  );
  expect(keepsake(url, ['drill']).said).toContain(`there is a database ${proof}`);
  expect(await databasesLike(url, '!_proof')).toHaveLength(1);
});

/** Lets every statement with such a beginning fail here, as on a connection that is lost. */
function failOn(...beginnings: string[]): string[] {
  const query = pg.Client.prototype.query;
  const spy = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: pg.Client,
    ...args: unknown[]
  ) {
    if (beginnings.some((each) => String(args[0]).startsWith(each)))
      return Promise.reject(new Error('the connection is lost'));
    return Reflect.apply(query, this, args);
  });
  onTestFinished(() => spy.mockRestore());
  return beginnings;
}

/** Restores a new backup here, where `moveFiles` puts secrets in place. */
async function restoreHere(url: string, moveFiles: () => void) {
  expect(keepsake(url, ['backup'])).toMatchObject({ ok: true });
  const folder = join(dataFolder, 'backups', backupsIn()[0] ?? '');
  const manifest = readManifest(folder);
  if (!manifest) throw new Error('no manifest');
  return withRestoredCopy(url, join(folder, 'keepsake.dump'), manifest, (copy) =>
    copy.putInPlace(1, moveFiles),
  );
}

onServer('A connection that is lost afterwards does not hide why a restore failed', async () => {
  const url = await makeInstance();
  const failing = failOn('rollback');
  const warn = vi.spyOn(console, 'warn').mockReturnValue();
  onTestFinished(() => warn.mockRestore());
  const failed = restoreHere(url, () => {
    failing.push('drop database');
    throw new Error('the folder is read-only');
  });
  await expect(failed).rejects.toThrow('the folder is read-only');
  expect(warn).toHaveBeenCalledWith(
    expect.stringMatching(/_proof stays until the next drill: the connection is lost/),
  );
  expect(keepsake(url, ['drill'])).toMatchObject({ ok: true });
  expect(await databasesLike(url, '!_%')).toEqual([]);
});

onServer('A proof that was killed when it had just created its database blocks no other', async () => {
  const url = await makeInstance();
  failOn('comment on database');
  await expect(restoreHere(url, () => {})).rejects.toThrow('the connection is lost');
  expect(await databasesLike(url, '!_proof')).toHaveLength(1);
  expect(keepsake(url, ['drill'])).toMatchObject({ ok: true });
  expect(await databasesLike(url, '!_proof')).toEqual([]);
});

onServer('Without its client programs nothing is backed up, and doctor says so', async () => {
  const url = await makeInstance();
  const nowhere = { PATH: dataFolder };
  expect(keepsake(url, ['backup'], nowhere).said).toContain('No backup: pg_dump is not there');
  expect(existsSync(join(dataFolder, 'backups')) && backupsIn()).toEqual([]);
  expect(keepsake(url, ['doctor', '--offline']).said).toContain(
    'The last backup failed: pg_dump is not there',
  );
});

test('Programs of PostgreSQL get no password among their arguments, and nothing that only Keepsake knows', () => {
  expect(
    addressForTools('postgres://keepsake:p%40ss@db:5433/keepsake?sslmode=require&pgbouncer=true'),
  ).toEqual({
    url: 'postgres://keepsake@db:5433/keepsake?sslmode=require',
    environment: { PGPASSWORD: 'p@ss' },
  });
  const address = {
    url: 'postgres://keepsake@db/keepsake?sslmode=require',
    environment: { PGPASSWORD: 'p@s%s' },
  };
  expect(addressForTools('postgres://keepsake:p@s%25s@db/keepsake?sslmode=no-verify')).toEqual(address);
  expect(addressForTools('postgres://keepsake@db/keepsake?password=p%40s%25s&sslmode=require')).toEqual(
    address,
  );
  expect(addressForTools('postgres://keepsake@/keepsake?host=/run/postgresql')).toEqual({
    url: 'postgres://keepsake@/keepsake?host=/run/postgresql',
    environment: {},
  });
  expect(withDatabase('postgres://keepsake@/keepsake?host=/run', 'other')).toBe(
    'postgres://keepsake@/other?host=/run',
  );
});

test('A program of PostgreSQL that does not end is ended', async () => {
  const program = join(dataFolder, 'pg_dump');
  writeFileSync(program, '#!/bin/sh\necho waiting for a lock >&2\nexec sleep 60\n', { mode: 0o755 });
  vi.stubEnv('PATH', `${dataFolder}:${process.env.PATH}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  await expect(
    runPostgresTool('pg_dump', [], { url: 'postgres://none', environment: {} }, 600),
  ).rejects.toThrow('pg_dump took longer than 0.01 minutes and was ended');
});
