import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { migrateSqlite, migrationsFolder } from '#db/migrate.ts';
import { BetterSqlite } from '#tests/support/better-sqlite.ts';
import { testVault } from '#tests/support/database.ts';
import { InstanceFolder } from '#tests/support/instance-folder.ts';
import { knownMigrations, migrationsOf } from '../../cli/backup/store-facts.ts';

/** The migrations of an older version: the first of ours. */
function firstMigrations(count: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-older-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(migrationsFolder.sqlite, folder, { recursive: true });
  const file = join(folder, 'meta', '_journal.json');
  const journal = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...journal, entries: journal.entries.slice(0, count) }));
  return folder;
}

test.each([1, 12, 20])(
  'A backup of a version with %i migrations is proven, restored and brought up to date',
  async (count) => {
    const { folder } = await InstanceFolder.make();
    rmSync(folder.storeFile);
    await migrateSqlite(folder.storeFile, testVault, firstMigrations(count));
    const store = new BetterSqlite(folder.storeFile);
    store.exec(
      `insert into users (id, name, email, locale, created_at_ms) values ('u', 'Demo', 'demo@keepsake.example', 'en', 1);
       insert into bots (id, first_seen_at_ms) values ('bot-1', 1);
       insert into items (id, owner_id, bot_id, app_id, context_id, asset_id, class_id, instance_id, market_hash_name, name, state, locked_until_ms, depositor_steam_id, received_at_ms)
         values ('i', 'u', 'bot-1', 730, '2', '1', '1', '0', 'Demo', 'Demo', 'held', 1, '1', 1);
       insert into ledger_entries (id, item_id, from_holder, to_holder, cause, at_ms) values ('l', 'i', 'outside', 'held:bot-1', 'deposit', 1)`,
    );
    store.close();
    const { folder: backup } = await folder.backUp();
    rmSync(folder.storeFile);
    expect(await folder.drill(backup)).toMatchObject({ ok: true, counts: { items: 1 } });
    expect(await folder.restore(backup)).toMatchObject({ ok: true, counts: { items: 1 } });
    expect(await migrationsOf(folder.storeFile)).toBe(count);
    await migrateSqlite(folder.storeFile, testVault);
    expect(await migrationsOf(folder.storeFile)).toBe(knownMigrations());
    const { folder: newBackup } = await folder.backUp({ nowMs: Date.now() });
    expect(await folder.drill(newBackup)).toMatchObject({ ok: true, counts: { items: 1 }, drifts: [] });
  },
);
