import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePorts } from '#tests/support/free-ports.ts';
import { asServerUser, findServerPrograms } from '#tests/support/postgres-servers.ts';

/**
 * The settings of the server: no checkpoint but those that are asked for, because each makes PostgreSQL log every page
 * whole once more. The disk is left out; CPU time and log are the same without it.
 */
const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'off',
  shared_buffers: '1GB',
  checkpoint_timeout: '1d',
  max_wal_size: '200GB',
};

/** Starts a PostgreSQL server that nobody else uses; its log tells the records of each kind apart. */
export async function startOwnServer() {
  const programs = findServerPrograms();
  if (!programs)
    throw new Error('this needs the programs of a PostgreSQL server, as Debian’s package brings them');
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-presence-'));
  const commandOf = asServerUser(folder);
  const run = (program: string, ...args: string[]): void => {
    const command = commandOf(join(programs, program), ...args);
    execFileSync(...command, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  };
  const data = join(folder, 'data');
  const port = await findFreePorts(1);
  const options = Object.entries({ ...settings, port }).map(([name, value]) => `-c ${name}='${value}'`);
  run('initdb', '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync');
  run('pg_ctl', '-D', data, '-w', '-o', options.join(' '), '-l', join(folder, 'log'), 'start');
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    async [Symbol.asyncDispose]() {
      run('pg_ctl', '-D', data, '-m', 'immediate', '-w', 'stop');
      rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}
