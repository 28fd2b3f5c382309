import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** An address as PostgreSQL's own programs take it. */
export interface ToolAddress {
  url: string;
  environment: Record<string, string>;
}

/**
 * Takes the password out of a DATABASE_URL, because other users of the machine see arguments, and parameters that only
 * Keepsake knows.
 */
export function addressForTools(databaseUrl: string): ToolAddress {
  const [place = '', parameters = ''] = databaseUrl.split('?', 2);
  const passedOn = parameters.split('&').filter((each) => each !== '' && !each.startsWith('pgbouncer='));
  const [, start = place, password, rest = ''] =
    /^(postgres(?:ql)?:\/\/[^:@/]*):([^@/]*)(@.*)$/.exec(place) ?? [];
  return {
    url: [start + rest, ...(passedOn.length > 0 ? [passedOn.join('&')] : [])].join('?'),
    environment: password === undefined ? {} : { PGPASSWORD: decodeURIComponent(password) },
  };
}

/** The same address with another database. */
export function withDatabase(databaseUrl: string, name: string): string {
  const [place = '', ...parameters] = databaseUrl.split('?');
  const server = /^[^:]+:\/\/[^/]*/.exec(place)?.[0] ?? place;
  return [`${server}/${encodeURIComponent(name)}`, ...parameters].join('?');
}

/** Runs `pg_dump` or `pg_restore` to its end; throws what it says if it fails, or that it is missing. */
export async function runPostgresTool(
  program: 'pg_dump' | 'pg_restore',
  args: readonly string[],
  { url, environment }: ToolAddress,
): Promise<void> {
  const child = spawn(program, [...args, '--no-password', `--dbname=${url}`], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (part: Buffer) => {
    said = (said + part.toString()).slice(-2000);
  });
  const [code] = await once(child, 'close').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new Error(
      `${program} is not there: install PostgreSQL's client programs (postgresql-client) in the server's version`,
    );
  });
  if (code !== 0) throw new Error(`${program}: ${said.trim() || `ended with ${code}`}`);
}
