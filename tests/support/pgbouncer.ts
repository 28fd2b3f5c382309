import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askPostgres } from '#tests/support/ask-postgres.ts';
import { findFreePorts } from '#tests/support/free-ports.ts';
import { asServerUser } from '#tests/support/postgres-servers.ts';
import { untilDone } from '#tests/support/until-done.ts';

/** Debian's pgbouncer, or null if this machine has none. */
export const findPgbouncer = (): string | null =>
  ['/usr/sbin/pgbouncer', '/usr/bin/pgbouncer'].find((program) => existsSync(program)) ?? null;

const settings = (port: number, serverPort: number): string => `
[databases]
keepsake = host=127.0.0.1 port=${serverPort} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
max_client_conn = 200
default_pool_size = 10
server_login_retry = 1
`;

/** Starts it in transaction mode before the server at this port. */
export async function startPgbouncer(program: string, serverPort: number, port?: number) {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-pgbouncer-'));
  const ownPort = port ?? (await findFreePorts(1));
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(file, settings(ownPort, serverPort));
  const command = asServerUser(folder)(program, '--quiet', file);
  const url = `postgres://postgres@127.0.0.1:${ownPort}/keepsake?pgbouncer=true`;
  let child: ChildProcess;
  const start = async () => {
    child = spawn(...command, { cwd: folder, stdio: 'ignore' });
    await untilDone(() => askPostgres(url, 'select 1'), { timeoutMs: 30_000 });
  };
  const kill = async () => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  await start();
  return {
    url,
    /** Ends it without warning and starts it again. */
    async restart(): Promise<void> {
      await kill();
      await start();
    },
    /** Ends it at once, without waiting for its end. */
    destroy(): void {
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
    async stop(): Promise<void> {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
