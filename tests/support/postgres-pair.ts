// Two PostgreSQL servers in synchronous replication on this machine, and an address that always leads to the one that
// takes writes.
import { execFileSync } from 'node:child_process';
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
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { findFreePorts } from '#tests/support/free-ports.ts';
import { askPostgres } from '#tests/support/own-postgres.ts';

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
  return (program: string, ...args: string[]): void => {
    execFileSync(...commandOf(join(programs, program), ...args), {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  };
}

/** Leads each connection to the server named last; connections to the other one are cut. */
async function startSwitch() {
  let target: number | null = null;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    if (target === null) {
      client.destroy();
      return;
    }
    const behind = connect(target, '127.0.0.1');
    for (const [one, peer] of [
      [client, behind],
      [behind, client],
    ] as const) {
      open.add(one);
      one.on('error', () => {});
      one.on('close', () => {
        open.delete(one);
        peer.destroy();
      });
      one.pipe(peer);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const lead = (port: number | null): void => {
    target = port;
    for (const socket of open) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    lead,
    async close(): Promise<void> {
      lead(null);
      server.close();
      await once(server, 'close');
    },
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

/** Starts both; `programs` is the folder of PostgreSQL's server programs. */
export async function startPostgresPair(programs: string) {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-pair-'));
  const run = runner(folder, programs);
  const first = await findFreePorts(2);
  const ports: Record<Name, number> = { a: first, b: first + 1 };
  const urlOf = (port: number, database = 'postgres') => `postgres://postgres@127.0.0.1:${port}/${database}`;
  const writable = await startSwitch();
  let primary: Name = 'a';

  const configure = (name: Name) =>
    appendFileSync(
      join(folder, name, 'postgresql.auto.conf'),
      settings(ports[name], ports[other(name)], name),
    );
  const up = (name: Name) => {
    const log = join(folder, `${name}.log`);
    try {
      run('pg_ctl', '-D', join(folder, name), '-w', '-t', PATIENCE_S, '-l', log, 'start');
    } catch (cause) {
      const said = existsSync(log) ? readFileSync(log, 'utf8').slice(-1000) : 'it logged nothing';
      throw new Error(`server ${name} did not start: ${said}`, { cause });
    }
  };
  const require = async (standby: Name | '') => {
    const url = urlOf(ports[primary]);
    await askPostgres(url, `alter system set synchronous_standby_names = '${standby}'`);
    await askPostgres(url, 'select pg_reload_conf()');
  };
  /** Makes a standby of the primary in the place of whatever was there, and returns once commits wait for it. */
  const addStandby = async () => {
    const name = other(primary);
    rmSync(join(folder, name), { recursive: true, force: true, maxRetries: 20 });
    const from = ['-h', '127.0.0.1', '-p', String(ports[primary]), '-U', 'postgres'];
    run('pg_basebackup', ...from, '-D', join(folder, name), '-X', 'stream', '-c', 'fast', '--no-sync');
    configure(name);
    writeFileSync(join(folder, name, 'standby.signal'), '');
    up(name);
    await require(name);
    await vi.waitFor(
      async () => {
        const rows = await askPostgres(
          urlOf(ports[primary]),
          "select 1 from pg_stat_replication where sync_state = 'sync'",
        );
        if (rows.length !== 1) throw new Error('the standby is not synchronous yet');
      },
      { timeout: Number(PATIENCE_S) * 1000, interval: 50 },
    );
  };

  run('initdb', '-D', join(folder, 'a'), '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync');
  configure('a');
  up('a');
  await askPostgres(urlOf(ports.a), 'create database keepsake');
  await addStandby();
  writable.lead(ports.a);

  return {
    url: urlOf(writable.port, 'keepsake'),
    addStandby,
    /** The port at which a pooler finds the server that takes writes. */
    port: writable.port,
    /** Ends the primary as a crash would, and starts it again once `meanwhile` is over. */
    async restartPrimary(meanwhile: () => Promise<unknown>): Promise<void> {
      run('pg_ctl', '-D', join(folder, primary), '-m', 'immediate', '-w', 'stop');
      await meanwhile();
      up(primary);
    },
    /** Ends the standby, which the primary goes on waiting for. */
    stopStandby: () => run('pg_ctl', '-D', join(folder, other(primary)), '-m', 'immediate', '-w', 'stop'),
    /** Lets the primary go on without the standby. */
    goOnAlone: () => require(''),
    /** Kills the primary with all its backends and lets the standby take its place. */
    async failOver(): Promise<void> {
      const [pid = ''] = readFileSync(join(folder, primary, 'postmaster.pid'), 'utf8').split('\n');
      const children = execFileSync('ps', ['-o', 'pid=', '--ppid', pid], { encoding: 'utf8' });
      for (const each of [pid, ...children.split('\n')]) if (each.trim()) killHard(Number(each));
      primary = other(primary);
      run('pg_ctl', '-D', join(folder, primary), '-w', '-t', PATIENCE_S, 'promote');
      await require('');
      writable.lead(ports[primary]);
    },
    async stop(): Promise<void> {
      await writable.close();
      for (const name of ['a', 'b'] as const)
        try {
          run('pg_ctl', '-D', join(folder, name), '-m', 'immediate', '-w', 'stop');
        } catch {
          // It was killed.
        }
      rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
    },
  };
}
