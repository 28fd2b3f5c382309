// Three processes claim rewards and one counts watch time through pgbouncer in transaction mode, while the server behind it
// crashes and starts again: nothing that was acknowledged is lost, nothing happens twice, and no process ends. Half a
// minute; needs pgbouncer and the server programs of PostgreSQL, which it starts itself.
import { once } from 'node:events';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Claim } from '#tests/benchmarks/claims.ts';
import { askPostgres } from '#tests/support/ask-postgres.ts';
import { startClaiming } from '#tests/support/claiming.ts';
import { findPgbouncer, startPgbouncer } from '#tests/support/pgbouncer.ts';
import { startPostgresPair } from '#tests/support/postgres-pair.ts';
import { findServerPrograms } from '#tests/support/postgres-servers.ts';

const CLAIMS = 600;
const TICKS = 40;
const REFUSED = 'server login has been failing';

interface Said {
  claimed?: string;
  ticked?: number;
  failures?: number;
  met?: string;
}
const [programs, pgbouncer] = [findServerPrograms(), findPgbouncer()];

test('Behind pgbouncer a server that crashes loses no acknowledged claim or minute (skipped without pgbouncer)', async ({
  skip,
}) => {
  if (!programs || !pgbouncer) return skip('this machine has no pgbouncer, or no PostgreSQL server');
  const pair = await startPostgresPair(programs);
  onTestFinished(() => pair.stop());
  await pair.goOnAlone();
  const pooler = await startPgbouncer(pgbouncer, pair.port);
  onTestFinished(() => pooler.stop());
  const processes = Array.from({ length: 4 }, () => startClaiming(pooler.url));
  onTestFinished(() => {
    for (const { child } of processes) child.kill();
  });
  const [one, two, ticking, late] = processes;
  if (!one || !two || !ticking || !late) throw new Error('there are four');
  const { claims } = await one.order<{ claims: Claim[] }>(
    { prepare: CLAIMS },
    () => true,
    () => {},
  );

  const acknowledged = new Set<string>();
  let ticks = 0;
  const met = new Set<string>();
  let restarting: Promise<void> | null = null;
  const receive = (said: Said) => {
    if (said.claimed) acknowledged.add(said.claimed);
    if (said.ticked) ticks = said.ticked;
    if (said.met) met.add(said.met);
    if (acknowledged.size < CLAIMS / 4 || ticks < 1) return;
    restarting ??= pair.restartPrimary(claimWhileDown);
  };
  const isLast = ({ failures }: Said) => failures !== undefined;
  let claimingLate: Promise<Said> | null = null;
  const share = CLAIMS / 3;
  // Clients that wait when the server goes away go on waiting; later ones are refused.
  const claimWhileDown = async () => {
    await untilRefused(pooler.url);
    claimingLate = late.order<Said>(claims.slice(2 * share), isLast, receive);
    const isRefusal = (failure: string) => failure.startsWith('08P01') && failure.includes(REFUSED);
    await vi.waitFor(() => expect([...met].some(isRefusal)).toBe(true), { timeout: 60_000, interval: 50 });
  };
  await Promise.all([
    one.order<Said>(claims.slice(0, share), isLast, receive),
    two.order<Said>(claims.slice(share, 2 * share), isLast, receive),
    ticking.order<Said>({ ticks: TICKS }, isLast, receive),
  ]);
  await restarting;
  expect(claimingLate).not.toBe(null);
  await claimingLate;

  const claimed = await askPostgres<{ id: string }>(
    pair.url,
    "select id from rewards where state = 'reserved'",
  );
  const found = new Set(claimed.map(({ id }) => id));
  expect([...acknowledged].filter((id) => !found.has(id))).toEqual([]);
  const [sums] = await askPostgres(
    pair.url,
    `with totals as (select seconds + coalesce(counted - since, 0) as watched from watch_times inner join channels on channels.id = channel_id)
     select (select count(*)::int from transfers where kind = 'claim') as offers,
       (select count(distinct reward_id)::int from transfers where kind = 'claim') as rewards,
       (select min(watched)::int from totals) as min, (select max(watched)::int from totals) as max`,
  );
  const seconds = (1 + TICKS) * 60;
  expect([acknowledged.size, ticks, sums]).toEqual([
    CLAIMS,
    TICKS,
    { offers: CLAIMS, rewards: CLAIMS, min: seconds, max: seconds },
  ]);
  for (const { child, errors } of processes) {
    expect([child.exitCode, child.signalCode, errors()]).toEqual([null, null, '']);
    const ended = once(child, 'exit');
    child.stdin.end();
    expect(await ended).toEqual([0, null]);
  }
  console.info(`met: ${[...met].join('; ')}`);
});

/**
 * Returns once the pooler reports that it cannot log on to its server. A client that asks before has to wait
 * for long.
 */
async function untilRefused(url: string): Promise<void> {
  for (let said = ''; !said.includes(REFUSED); ) {
    const client = new pg.Client({ connectionString: url, query_timeout: 200 });
    client.on('error', () => {});
    said = await client
      .connect()
      .then(() => client.query('select 1'))
      .then(
        () => '',
        ({ message }: Error) => message,
      );
    await client.end().catch(() => {});
  }
}
