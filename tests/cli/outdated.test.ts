import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { BetterSqlite } from '#tests/support/better-sqlite.ts';
import { makeSqliteFile, testKey } from '#tests/support/database.ts';
import { bundleOf } from '#tests/support/processes.ts';
import { isBuildStale } from '../../tools/build.ts';

function inFile<T>(file: string, look: (store: BetterSqlite.Database) => T): T {
  const store = new BetterSqlite(file, { timeout: 30_000 });
  try {
    return look(store);
  } finally {
    store.close();
  }
}

/** Starts a process of the product on the store in a folder. */
function start(program: string, folder: string) {
  const child = spawn(process.execPath, [program], {
    env: {
      PATH: process.env.PATH,
      NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS,
      KEEPSAKE_DATA_DIR: folder,
      ENCRYPTION_KEY: testKey,
      PORT: '0',
      BOT_PORT: '0',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => {
      said += text.toString();
    });
  return once(child, 'close').then(([code]) => ({ code, said }));
}

const outdated = {
  code: 1,
  said: expect.stringContaining('A newer version has changed the schema of the database'),
};

for (const [role, program] of [
  ['bot', () => bundleOf('bot')],
  ['web', () => 'build/web.js'],
] as const)
  test.skipIf(role === 'web' && isBuildStale('.'))(
    `A ${role} process is known while it runs, ends once a newer version has changed the schema, and does not start again`,
    async () => {
      const { file, folder } = await makeSqliteFile();
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      const running = start(program(), folder);
      const roles = () => inFile(file, (store) => store.prepare('select role from processes').pluck().all());
      await expect.poll(roles).toEqual([role]);
      inFile(file, (store) =>
        store.exec("insert into __drizzle_migrations (hash, created_at) values ('newer', 9999999999999)"),
      );
      expect(await running).toEqual(outdated);
      expect(roles()).toEqual([]);
      expect(await start(program(), folder)).toEqual(outdated);
    },
  );
