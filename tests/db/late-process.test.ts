import { rmSync } from 'node:fs';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { isPostgres } from '#db/dialect.ts';
import { migrateSqlite } from '#db/migrate.ts';
import { BetterSqlite } from '#tests/support/better-sqlite.ts';
import { makeSqliteFile } from '#tests/support/database.ts';
import { stepsWith } from '#tests/support/landed-steps.ts';

/** An event between the look for older processes and the write lock, for which a migration may wait. */
const between = vi.hoisted(() => ({ happens: () => {} }));
vi.mock('#db/engine/await-older.ts', async (original) => {
  const real = await original<typeof import('#db/engine/await-older.ts')>();
  return {
    ...real,
    async awaitOlder(...given: Parameters<typeof real.awaitOlder>) {
      await real.awaitOlder(...given);
      between.happens();
    },
  };
});
beforeEach(() => {
  between.happens = () => {};
});

const change = 'alter table mails drop column last_error;';

/** A store of this version in which an older process begins while the migration waits for the write lock. */
async function setStore() {
  const { file, folder } = await makeSqliteFile();
  const store = new BetterSqlite(file);
  onTestFinished(() => {
    store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const count = () => store.prepare('select count(*) from __drizzle_migrations').pluck().get();
  const steps = count();
  between.happens = () =>
    void store
      .prepare(
        "insert into processes (id, role, version, schema, until_ms) select 'host:1:late', 'bot', '0.9.0', max(created_at), ? from __drizzle_migrations",
      )
      .run(Date.now() + 15_000);
  const added = () => Number(count()) - Number(steps);
  return { file, added };
}

test.skipIf(isPostgres)(
  'A process that begins while a migration waits for the write lock keeps it from changing anything',
  async () => {
    const { file, added } = await setStore();
    await expect(migrateSqlite(file, null, stepsWith('sqlite', change))).rejects.toThrow(
      `${file} was not changed: this upgrade changes what older processes rely on, and these are running: bot 0.9.0 (host:1:late).`,
    );
    expect(added()).toBe(0);
  },
);
