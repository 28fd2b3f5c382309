import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isPostgres } from '#db/dialect.ts';
import { migrateSqlite, rawSqlite } from '#db/migrate.ts';
import { BetterSqlite } from '#tests/support/better-sqlite.ts';
import { makeSqliteFile } from '#tests/support/database.ts';
import { stepsWith } from '#tests/support/landed-steps.ts';
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

  test('A process that begins while the migration waits for the write lock is noticed', async () => {
    const { file, folder: own } = await makeSqliteFile();
    onTestFinished(() => rmSync(own, { recursive: true, force: true }));
    const folder = stepsWith('sqlite', 'drop table mails;');
    // The migration's own thread waits for the lock, so another one has it. It lets go after a while.
    const beginning = new Worker(beginLater, {
      eval: true,
      workerData: { file, untilMs: Date.now() + 15_000 },
    });
    await once(beginning, 'message');
    const ended = once(beginning, 'exit');
    const waiting = { now: Date.now, wait: async () => {}, say: () => {} };
    await expect(migrateSqlite(file, null, folder, waiting)).rejects.toThrow(
      `${file} was not changed: this upgrade changes what older processes rely on, and these are running: web 0.9 (host:1:late).`,
    );
    await ended;
  });
});

const beginLater = `
  const { parentPort, workerData } = require('node:worker_threads');
  const store = new (require('better-sqlite3'))(workerData.file);
  store.exec('begin immediate');
  store.prepare("insert into processes values ('host:1:late', 'web', '0.9', 1, ?)").run(workerData.untilMs);
  parentPort.postMessage('begun');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
  store.exec('commit');
`;
