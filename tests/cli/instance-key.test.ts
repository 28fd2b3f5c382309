import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { migrateDatabase } from '#db/migrate.ts';
import { readConfiguration } from '#platform/configuration.ts';
import { storeVariables } from '#platform/shared-variables.ts';
import { createVault } from '#platform/vault.ts';
import { BetterSqlite } from '#tests/support/better-sqlite.ts';
import { bundleOf } from '#tests/support/processes.ts';
import { openOrMakeVault, openVault, storeOf } from '../../cli/settings.ts';

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'keepsake-key-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

function settingsIn(dataFolder: string) {
  const read = readConfiguration(storeVariables, { KEEPSAKE_DATA_DIR: dataFolder });
  if (!read.ok) throw new Error('refused');
  return read.values;
}

/** Runs a process of the product until it ends by itself. */
const run = (args: readonly string[], environment: Record<string, string>) =>
  spawnSync(process.execPath, args, {
    env: { PATH: process.env.PATH ?? '', ...environment },
    encoding: 'utf8',
    timeout: 60_000,
  });

const NO_KEY = {
  ok: false,
  why: expect.stringContaining('There is a database, but no encryption key to it.'),
};

test('A key is made for a store that is new, and for no other', async () => {
  const dataFolder = folder();
  const given = settingsIn(dataFolder);
  const keyFile = join(dataFolder, 'secrets/encryption-key');
  expect(openVault(given)).toEqual(NO_KEY);
  expect(existsSync(keyFile)).toBe(false);
  const made = await openOrMakeVault(given);
  if (!made.ok) throw new Error(made.why);
  const key = readFileSync(keyFile, 'utf8');
  await migrateDatabase(storeOf(given), made.vault);
  expect(openVault(given).ok).toBe(true);
  rmSync(keyFile);
  expect(await openOrMakeVault(given)).toEqual(NO_KEY);
  const { status, stderr } = run([bundleOf('keepsake'), 'migrate'], { KEEPSAKE_DATA_DIR: dataFolder });
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/^There is a database, but no encryption key to it\. .+ENCRYPTION_KEY.+\n$/),
  ]);
  expect(existsSync(keyFile)).toBe(false);
  expect(key).toMatch(/^[\da-f]{64}$/);
});

test('Neither web nor bot starts with the key of another instance', async () => {
  const dataFolder = folder();
  const own = createVault(randomBytes(32).toString('base64'));
  const { file } = storeOf(settingsIn(dataFolder));
  await migrateDatabase({ file }, own);
  const store = new BetterSqlite(file);
  store
    .prepare('insert into bots (id, first_seen_at_ms, refresh_token_sealed) values (?, 1, ?)')
    .run('bot-1', own.seal('token', 'bot:bot-1'));
  store.close();
  const environment = {
    KEEPSAKE_DATA_DIR: dataFolder,
    ENCRYPTION_KEY: randomBytes(32).toString('hex'),
    PORT: '0',
    BOT_PORT: '0',
  };
  for (const started of [[bundleOf('bot')], ['--import', 'tsx', 'app/main.ts']]) {
    const { status, stdout } = run(started, environment);
    expect([started, status, stdout]).toEqual([
      started,
      1,
      expect.stringContaining('What is stored was encrypted with another key.'),
    ]);
  }
});

test('Nothing begins a new instance where the old one was moved to PostgreSQL', () => {
  const dataFolder = folder();
  const moved = join(dataFolder, 'keepsake.db.moved');
  writeFileSync(moved, '');
  const refusal = `DATABASE_URL is not set, but this instance was moved to PostgreSQL (${moved}): set it, or move that file elsewhere to begin a new instance here.\n`;
  for (const started of [
    [bundleOf('keepsake'), 'migrate'],
    ['--import', 'tsx', 'cli/start.ts', '--watch'],
  ]) {
    const { status, stderr } = run(started, {
      KEEPSAKE_DATA_DIR: dataFolder,
      PORT: '0',
      BOT_PORT: '0',
    });
    expect([started, status, stderr]).toEqual([started, 1, refusal]);
  }
  expect(readdirSync(dataFolder)).toEqual(['keepsake.db.moved']);
});
