import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askPostgres } from '#tests/support/ask-postgres.ts';
import { findFreePorts } from '#tests/support/free-ports.ts';
import { asServerUser, findServerPrograms } from '#tests/support/postgres-servers.ts';
import { untilDone } from '#tests/support/until-done.ts';

/**
 * Nobody needs what these servers store after their machine has stopped. Statistics that a vacuum in the background took of a
 * table between two tests, when it was empty, would make the next test's joins read each row for each other.
 */
const always = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'off',
  autovacuum: 'off',
};

/**
 * Starts a PostgreSQL server that nobody else uses, on loopback; null without the programs of one. It ends with this
 * process at the latest.
 */
export async function startOwnServer(settings: Record<string, string> = {}) {
  const programs = findServerPrograms();
  if (!programs) return null;
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-server-'));
  const commandOf = asServerUser(folder);
  const data = join(folder, 'data');
  const port = await findFreePorts(1);
  const initdb = commandOf(join(programs, 'initdb'), '-D', data, '-U', 'postgres', '-A', 'trust');
  execFileSync(initdb[0], [...initdb[1], '-E', 'UTF8', '--no-sync'], { cwd: folder, stdio: 'ignore' });
  const options = Object.entries({ ...always, ...settings, port }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  // Stopped by the system if this process is killed. As the server's user, because a change of users would undo it.
  const withParent = ['setpriv', '--pdeathsig', 'INT', '--'];
  const [file, args] = commandOf(...withParent, join(programs, 'postgres'), '-D', data, ...options);
  const log = join(folder, 'log');
  const output = openSync(log, 'w');
  const server = spawn(file, args, { cwd: folder, stdio: ['ignore', output, output] });
  const ended = once(server, 'exit');
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const refused = ended.then(() => Promise.reject(new Error(readFileSync(log, 'utf8'))));
  await Promise.race([untilDone(() => askPostgres(url, 'select 1')), refused]);
  refused.catch(() => {});
  return {
    url,
    async [Symbol.asyncDispose]() {
      server.kill('SIGINT');
      await ended;
      rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}

/** Starts such a server for a run that cannot do without; throws where its programs are missing. */
export async function requireOwnServer(settings: Record<string, string> = {}) {
  const server = await startOwnServer(settings);
  if (!server)
    throw new Error('this needs the programs of a PostgreSQL server, as Debian’s package brings them');
  return server;
}
