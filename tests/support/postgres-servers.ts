// Two PostgreSQL servers in synchronous replication on this machine, of which one takes writes.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askPostgres } from '#tests/support/ask-postgres.ts';
import { untilDone } from '#tests/support/until-done.ts';

const DEBIAN = '/usr/lib/postgresql';
/**
 * Seconds in which a server may start or take over: a busy machine takes its time, and only a hanging one is
 * ended.
 */
const PATIENCE_S = '120';

/** The folder of the newest server's programs, or null if this machine has none. */
export function findServerPrograms(): string | null {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = versions.map((version) => join(DEBIAN, version, 'bin'));
  return [...folders, '/usr/local/bin', '/usr/bin'].find((bin) => existsSync(join(bin, 'initdb'))) ?? null;
}

type Name = 'a' | 'b';
const other = (name: Name): Name => (name === 'a' ? 'b' : 'a');

/** Gives a folder to the user that runs servers: root may not, so it becomes the user `postgres`. Returns the command. */
export function asServerUser(folder: string): (...command: string[]) => [string, string[]] {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
    chownSync(folder, idOf('-u'), idOf('-g'));
  }
  const asUser = ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups', '--'];
  return (...command) => {
    const [first = '', ...rest] = isRoot ? [...asUser, ...command] : command;
    return [first, rest];
  };
}

/** Runs a server's program. */
function runner(folder: string, programs: string) {
  const commandOf = asServerUser(folder);
  return async (program: string, ...args: string[]): Promise<void> => {
    const [file, given] = commandOf(join(programs, program), ...args);
    const child = spawn(file, given, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    // A server that it started keeps the pipe open.
    const [code] = await once(child, 'exit');
    child.stderr?.destroy();
    if (code !== 0) throw new Error(`${program} ended with ${code}: ${said}`);
  };
}

/**
 * The settings of both. Without fsync, because the writes of a killed process are still in the system's
 * memory. Without Unix sockets, because the lock of a killed server's socket blocks the next until somebody
 * has reaped the process.
 */
const settings = (port: number, peer: number, name: Name): string => `
listen_addresses = '127.0.0.1'
port = ${port}
unix_socket_directories = ''
cluster_name = '${name}'
wal_level = replica
hot_standby = on
fsync = off
shared_buffers = 32MB
synchronous_commit = remote_apply
wal_receiver_status_interval = 1s
wal_retrieve_retry_interval = 200ms
primary_conninfo = 'host=127.0.0.1 port=${peer} user=postgres application_name=${name}'
`;

/** Kills a process, unless it is gone: a backend ends by itself once the server's first process is. */
function killHard(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Starts both at this port and the next, with an empty database `keepsake`. `programs`: the folder of PostgreSQL's. */
export async function startPostgresServers(programs: string, firstPort: number) {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-pair-'));
  const run = runner(folder, programs);
  const ports: Record<Name, number> = { a: firstPort, b: firstPort + 1 };
  const urlOf = (name: Name, database = 'postgres') =>
    `postgres://postgres@127.0.0.1:${ports[name]}/${database}`;
  let primary: Name = 'a';

  const configure = (name: Name) =>
    appendFileSync(
      join(folder, name, 'postgresql.auto.conf'),
      settings(ports[name], ports[other(name)], name),
    );
  const up = async (name: Name) => {
    const log = join(folder, `${name}.log`);
    try {
      await run('pg_ctl', '-D', join(folder, name), '-w', '-t', PATIENCE_S, '-l', log, 'start');
    } catch (cause) {
      const said = existsSync(log) ? readFileSync(log, 'utf8').slice(-1000) : 'it logged nothing';
      throw new Error(`server ${name} did not start: ${said}`, { cause });
    }
  };
  const require = async (standby: Name | '') => {
    await askPostgres(urlOf(primary), `alter system set synchronous_standby_names = '${standby}'`);
    await askPostgres(urlOf(primary), 'select pg_reload_conf()');
  };
  const addStandby = async () => {
    const name = other(primary);
    rmSync(join(folder, name), { recursive: true, force: true, maxRetries: 20 });
    const from = ['-h', '127.0.0.1', '-p', String(ports[primary]), '-U', 'postgres'];
    await run('pg_basebackup', ...from, '-D', join(folder, name), '-X', 'stream', '-c', 'fast', '--no-sync');
    configure(name);
    writeFileSync(join(folder, name, 'standby.signal'), '');
    await up(name);
    await require(name);
    await untilDone(async () => {
      const rows = await askPostgres(
        urlOf(primary),
        "select 1 from pg_stat_replication where sync_state = 'sync'",
      );
      if (rows.length !== 1) throw new Error('the standby is not synchronous yet');
    });
  };
  /** Ends a server with all its backends, as the loss of its machine would. */
  const killServer = (name: Name) => {
    const file = join(folder, name, 'postmaster.pid');
    if (!existsSync(file)) return;
    const [pid = ''] = readFileSync(file, 'utf8').split('\n');
    const all = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).split('\n');
    const children = all.flatMap((row) => {
      const [child = '', parent] = row.trim().split(/\s+/);
      return parent === pid ? [child] : [];
    });
    for (const each of [pid, ...children]) if (each) killHard(Number(each));
  };

  await run('initdb', '-D', join(folder, 'a'), '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync');
  configure('a');
  await up('a');
  await askPostgres(urlOf('a'), 'create database keepsake');
  await askPostgres(urlOf('a'), 'create role keepsake_check login');
  await addStandby();

  return {
    ports,
    /** The port of the server that takes writes. */
    get port(): number {
      return ports[primary];
    },
    /** Makes a standby of the primary in the place of whatever was there, and returns once commits wait for it. */
    addStandby,
    /** Ends the primary as a crash would, and starts it again once `meanwhile` is over. */
    async restartPrimary(meanwhile: () => Promise<unknown>): Promise<void> {
      await run('pg_ctl', '-D', join(folder, primary), '-m', 'immediate', '-w', 'stop');
      await meanwhile();
      await up(primary);
    },
    /** Ends the standby, which the primary goes on waiting for. */
    stopStandby: () => run('pg_ctl', '-D', join(folder, other(primary)), '-m', 'immediate', '-w', 'stop'),
    /** Lets the primary go on without the standby. */
    goOnAlone: () => require(''),
    /** Kills the primary and lets the standby take its place. */
    async failOver(): Promise<void> {
      killServer(primary);
      primary = other(primary);
      await run('pg_ctl', '-D', join(folder, primary), '-w', '-t', PATIENCE_S, 'promote');
      await require('');
    },
    /** Ends both and deletes their data. */
    destroy(): void {
      for (const name of ['a', 'b'] as const) killServer(name);
      rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}
