import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { findFreePorts } from '#tests/support/free-ports.ts';
import { askPostgres } from '#tests/support/own-postgres.ts';
import { asServerUser } from '#tests/support/postgres-pair.ts';

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
export async function startPgbouncer(program: string, serverPort: number) {
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-pgbouncer-'));
  const port = await findFreePorts(1);
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(file, settings(port, serverPort));
  const child = spawn(...asServerUser(folder)(program, '--quiet', file), { cwd: folder, stdio: 'ignore' });
  const url = `postgres://postgres@127.0.0.1:${port}/keepsake?pgbouncer=true`;
  await vi.waitFor(() => askPostgres(url, 'select 1'), { timeout: 30_000, interval: 50 });
  return {
    url,
    async stop(): Promise<void> {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
