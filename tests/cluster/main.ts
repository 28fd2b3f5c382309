// npm run cluster -- --minutes 10 --seed 42: three web processes behind HAProxy and three bots, on two PostgreSQL servers
// behind pgbouncer, all on loopback and started here. The modules take their dialect from DATABASE_URL while they load, so
// the servers are started before, and nothing that is imported here may load one of those.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findFreePorts } from '#tests/support/free-ports.ts';
import { startPgbouncer } from '#tests/support/pgbouncer.ts';
import { startPostgresServers } from '#tests/support/postgres-servers.ts';
import { isBuildStale } from '../../tools/build.ts';
import { Database } from './database.ts';
import { EACH, Front } from './front.ts';
import { findTools } from './tools.ts';

/** Distinct from the codes of a run with violations and of a wrong argument. */
const TOOLS_MISSING = 3;

const found = findTools();
if ('missing' in found) {
  console.error(`This machine lacks ${found.missing.join(', ')} (names of Debian's packages)`);
  process.exit(TOOLS_MISSING);
}
if (isBuildStale(resolve(import.meta.dirname, '../..'))) {
  console.error('The processes run the build: npm run build');
  process.exit(2);
}
const { tools } = found;
const folder = mkdtempSync(join(tmpdir(), 'keepsake-cluster-'));
const port = await findFreePorts(5 + 2 * EACH);
const inRow = (first: number) => Array.from({ length: EACH }, (_, n) => port + first + n);
const ports = { front: port + 4, webs: inRow(5), bots: inRow(5 + EACH) };
const ends: (() => void)[] = [];
process.once('exit', () => {
  for (const end of ends.reverse()) end();
});
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
const servers = await startPostgresServers(tools.postgres, port);
ends.push(() => servers.destroy());
const front = new Front(tools.haproxy, folder, {
  ...ports,
  writable: port + 2,
  servers: Object.values(servers.ports),
});
ends.push(front.destroy);
await front.start();
const pooler = await startPgbouncer(tools.pgbouncer, port + 2, port + 3);
ends.push(() => pooler.destroy());
process.env.DATABASE_URL = pooler.url;
const { runCluster } = await import('./run.ts');
const isSound = await runCluster({ folder, ports, front, database: new Database(servers, pooler) });
process.exit(isSound ? 0 : 1);
