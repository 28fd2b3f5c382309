import { rmSync } from 'node:fs';
import { describe, onTestFinished, test } from 'vitest';
import { isPostgres } from '#db/dialect.ts';
import { migrateSqlite, rawSqlite } from '#db/migrate.ts';
import { BetterSqlite } from '#tests/support/better-sqlite.ts';
import { makeSqliteFile } from '#tests/support/database.ts';
import { sideBySide } from '#tests/support/side-by-side.ts';

describe.skipIf(isPostgres)('In an SQLite file', () => {
  test.for(Object.entries(sideBySide))('%s', async ([, scenario]) => {
    const { file, folder: own } = await makeSqliteFile();
    onTestFinished(() => rmSync(own, { recursive: true, force: true }));
    await scenario({
      dialect: 'sqlite',
      name: file,
      migrate: (folder, waiting) => migrateSqlite(file, null, folder, waiting),
      async run(query) {
        const store = new BetterSqlite(file);
        try {
          return await rawSqlite(store).run(query, []);
        } finally {
          store.close();
        }
      },
    });
  });
});
