import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, onTestFinished } from 'vitest';
import { migratePostgres } from '#db/migrate.ts';
import { askPostgres } from '#tests/support/ask-postgres.ts';
import { testKey, testVault } from '#tests/support/database.ts';
import { makePostgres, onServer } from '#tests/support/own-postgres.ts';
import { bundleOf } from '#tests/support/processes.ts';
import { withDatabase } from '../../cli/backup/postgres-tools.ts';

const nameOf = (url: string) => new URL(url).pathname.slice(1);
const usersIn = (url: string) => askPostgres(url, 'select name from users order by name');

/** An instance with two people, and an empty database in which it is to be. */
async function setScene() {
  const dataFolder = mkdtempSync(join(tmpdir(), 'keepsake-upgrade-'));
  onTestFinished(() => rmSync(dataFolder, { recursive: true, force: true }));
  const [from, to] = [await makePostgres(), await makePostgres()];
  await migratePostgres(from, testVault);
  await askPostgres(
    from,
    `insert into users (id, name, email, locale, created_at_ms)
       values ('a', 'Ada', 'ada@keepsake.example', 'en', 1), ('b', 'Bo', 'bo@keepsake.example', 'ru', 2)`,
  );
  const upgrade = (more: Record<string, string> = {}) => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [bundleOf('keepsake'), 'upgrade-postgres'],
      {
        env: {
          PATH: process.env.PATH ?? '',
          KEEPSAKE_DATA_DIR: dataFolder,
          DATABASE_URL: from,
          NEW_DATABASE_URL: to,
          ENCRYPTION_KEY: testKey,
          ...more,
        },
        encoding: 'utf8',
        timeout: 60_000,
      },
    );
    return { ok: status === 0, said: stdout + stderr };
  };
  const asides = async () => {
    const rows = await askPostgres<{ datname: string }>(
      withDatabase(from, 'postgres'),
      `select datname from pg_database where datname like '${nameOf(from)}!_upgraded!_%' escape '!'`,
    );
    return rows.map(({ datname }) => datname);
  };
  onTestFinished(async () => {
    for (const name of await asides())
      await askPostgres(withDatabase(from, 'postgres'), `drop database "${name}"`);
  });
  return { dataFolder, from, to, upgrade, asides };
}

onServer(
  'An instance is copied to another server and compared, and nothing starts on the old one',
  async () => {
    const { dataFolder, from, to, upgrade, asides } = await setScene();
    const upgraded = upgrade();
    expect(upgraded).toEqual({ ok: true, said: expect.stringContaining('every table has as many rows') });
    expect(await usersIn(to)).toEqual([{ name: 'Ada' }, { name: 'Bo' }]);
    const [aside = ''] = await asides();
    expect(upgraded.said).toContain(`Drop ${aside} on the old server`);
    expect(await usersIn(withDatabase(from, aside))).toHaveLength(2);
    await expect(usersIn(from)).rejects.toThrow('does not exist');
    expect(readdirSync(dataFolder)).toEqual([]);
  },
);

onServer('An upgrade that cannot be is refused, and the instance stays where it was', async () => {
  const { from, to, upgrade, asides } = await setScene();
  const connected = new pg.Client({ connectionString: from });
  await connected.connect();
  expect(upgrade()).toEqual({ ok: false, said: expect.stringContaining('Stop Keepsake') });
  await connected.end();
  expect(upgrade({ NEW_DATABASE_URL: from }).said).toContain('name the same database');
  expect(upgrade({ NEW_DATABASE_URL: '' }).said).toContain('NEW_DATABASE_URL is not set');
  // Found out only after the old database has its other name, which it gives back.
  const visiting = new pg.Client({ connectionString: to });
  await visiting.connect();
  expect(upgrade()).toEqual({ ok: false, said: expect.stringMatching(/as before: somebody is connected/) });
  await visiting.end();
  await askPostgres(to, 'create table somebodys (id int)');
  expect(upgrade().said).toContain('is not empty');
  expect(await asides()).toEqual([]);
  expect(await usersIn(from)).toHaveLength(2);
});

onServer('A database that cannot get its own name back is named, with the command for it', async () => {
  const { dataFolder, from, upgrade, asides } = await setScene();
  // Takes the name meanwhile, and then fails.
  const dump = `#!/bin/sh
psql '${withDatabase(from, 'postgres')}' --quiet --command='create database "${nameOf(from)}"'
echo 'no space left' >&2
exit 1
`;
  writeFileSync(join(dataFolder, 'pg_dump'), dump, { mode: 0o700 });
  const { ok, said } = upgrade({ PATH: `${dataFolder}:${process.env.PATH}` });
  const [aside = ''] = await asides();
  expect(ok).toBe(false);
  expect(said).toContain('no space left');
  expect(said).toContain(`still ${aside}`);
  expect(said).toContain('already exists');
  expect(said).toContain(`ALTER DATABASE "${aside}" RENAME TO "${nameOf(from)}"`);
  expect(said).not.toContain('as before');
  expect(await usersIn(withDatabase(from, aside))).toHaveLength(2);
});
