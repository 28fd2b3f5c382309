import { existsSync } from 'node:fs';
import { findPgbouncer } from '#tests/support/pgbouncer.ts';
import { findServerPrograms } from '#tests/support/postgres-servers.ts';

/** Programs of other projects that the cluster consists of. */
export interface ClusterTools {
  /** The folder of PostgreSQL's server programs. */
  postgres: string;
  pgbouncer: string;
  haproxy: string;
}

const findIn = (name: string, ...folders: string[]): string | null =>
  folders.map((folder) => `${folder}/${name}`).find((program) => existsSync(program)) ?? null;

export const findHaproxy = (): string | null => findIn('haproxy', '/usr/sbin', '/usr/local/sbin', '/usr/bin');

/** Finds them on this machine; otherwise names the packages that are missing. */
export function findTools(): { tools: ClusterTools } | { missing: string[] } {
  const postgres = findServerPrograms();
  const pgbouncer = findPgbouncer();
  const haproxy = findHaproxy();
  if (postgres && pgbouncer && haproxy) return { tools: { postgres, pgbouncer, haproxy } };
  const found = { postgresql: postgres, pgbouncer, haproxy };
  return { missing: Object.entries(found).flatMap(([name, program]) => (program ? [] : [name])) };
}
