import { spawn } from 'node:child_process';
import { once } from 'node:events';
import pg from 'pg';

/** An address as PostgreSQL's own programs take it. */
export interface ToolAddress {
  url: string;
  environment: Record<string, string>;
}

/** Parameters that only Keepsake or its driver knows, and a password given as a parameter. */
const unknownToTools = /^(?:pgbouncer|uselibpqcompat|password)=|^$/;

/**
 * Takes the password out of a DATABASE_URL, because other users of the machine see arguments, and parameters that
 * PostgreSQL's programs do not know. The password is read as the driver reads it.
 */
export function addressForTools(databaseUrl: string): ToolAddress {
  const [place = '', parameters = ''] = databaseUrl.split('?', 2);
  const passedOn = parameters.split('&').filter((each) => !unknownToTools.test(each));
  // A password may contain an @ of its own: the last one before the path ends it.
  const [, start = place, rest = ''] =
    /^(postgres(?:ql)?:\/\/[^:@/]*):[^/]*(@[^@/]*(?:\/.*)?)$/.exec(place) ?? [];
  const { password } = new pg.Client({ connectionString: databaseUrl });
  return {
    url: [start + rest, ...(passedOn.length > 0 ? [passedOn.join('&')] : [])]
      .join('?')
      .replace('sslmode=no-verify', 'sslmode=require'),
    environment: password ? { PGPASSWORD: password } : {},
  };
}

/** Returns the same address with another database. */
export function withDatabase(databaseUrl: string, name: string): string {
  const [place = '', ...parameters] = databaseUrl.split('?');
  const server = /^[^:]+:\/\/[^/]*/.exec(place)?.[0] ?? place;
  return [`${server}/${encodeURIComponent(name)}`, ...parameters].join('?');
}

/** One that takes longer waits for a lock or a server that does not come. */
const LIMIT_MS = 5 * 3_600_000;

/**
 * Runs `pg_dump` or `pg_restore` to its end; throws its message if it fails, is missing, or was ended because
 * it took too long.
 */
export async function runPostgresTool(
  program: 'pg_dump' | 'pg_restore',
  args: readonly string[],
  { url, environment }: ToolAddress,
  limitMs = LIMIT_MS,
): Promise<void> {
  const child = spawn(program, [...args, '--no-password', `--dbname=${url}`], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  // Node's own limit would keep this process running where there is no such program.
  const limit = setTimeout(() => child.kill(), limitMs);
  let said = '';
  child.stderr.on('data', (part: Buffer) => {
    said = (said + part.toString()).slice(-2000);
  });
  const [code] = await once(child, 'close')
    .catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      throw new Error(
        `${program} is not there: install PostgreSQL's client programs (postgresql-client) in the server's version`,
      );
    })
    .finally(() => clearTimeout(limit));
  if (child.killed)
    throw new Error(`${program} took longer than ${limitMs / 60_000} minutes and was ended: ${said.trim()}`);
  if (code !== 0) throw new Error(`${program}: ${said.trim() || `ended with ${code}`}`);
}
