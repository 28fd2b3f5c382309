// Two processes claim rewards while the primary of two PostgreSQL servers in synchronous replication is killed five
// times: nothing that was acknowledged is lost, nothing happens twice, and no process ends. Then a standby ends that the
// primary waits for. About a minute; needs the server programs of PostgreSQL, which it starts itself.
import { once } from 'node:events';
import { sql } from 'drizzle-orm';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openPostgres } from '#db/database.ts';
import { migratePostgres } from '#db/migrate.ts';
import type { Claim } from '#tests/benchmarks/claims.ts';
import { askPostgres } from '#tests/support/ask-postgres.ts';
import { startClaiming } from '#tests/support/claiming.ts';
import { startPostgresPair } from '#tests/support/postgres-pair.ts';
import { findServerPrograms } from '#tests/support/postgres-servers.ts';
import { examinePostgresServer } from '../../cli/doctor/examine-postgres.ts';

const PROCESSES = 2;
const KILLS = 5;
const CLAIMS_A_KILL = 200;

type Said = { claimed?: string; failures?: number };
const programs = findServerPrograms();

test('Five deaths of the primary lose no acknowledged claim and end no process', async ({ skip }) => {
  if (!programs) return skip('this machine has no PostgreSQL server');
  const pair = await startPostgresPair(programs);
  onTestFinished(() => pair.stop());
  const processes = Array.from({ length: PROCESSES }, () => startClaiming(pair.url));
  onTestFinished(() => {
    for (const { child } of processes) child.kill();
  });
  const [first] = processes;
  const prepared = await first?.order<{ claims: Claim[] }>(
    { prepare: KILLS * CLAIMS_A_KILL },
    () => true,
    () => {},
  );
  const claims = prepared?.claims ?? [];
  expect(claims).toHaveLength(KILLS * CLAIMS_A_KILL);

  const acknowledged = new Set<string>();
  let failures = 0;
  const downMs: number[] = [];
  for (let kill = 0; kill < KILLS; kill += 1) {
    const batch = claims.splice(0, CLAIMS_A_KILL);
    const half = acknowledged.size + CLAIMS_A_KILL / 2;
    let failing: Promise<void> | null = null;
    const receive = ({ claimed, failures: met = 0 }: Said) => {
      failures += met;
      if (claimed) acknowledged.add(claimed);
      if (acknowledged.size < half || failing) return;
      const killedMs = Date.now();
      failing = pair.failOver().then(() => void downMs.push(Date.now() - killedMs));
    };
    await Promise.all(
      processes.map(({ order }, place) =>
        order<Said>(
          batch.filter((_, index) => index % PROCESSES === place),
          (said) => said.failures !== undefined,
          receive,
        ),
      ),
    );
    await failing;
    const claimed = await askPostgres<{ id: string }>(
      pair.url,
      "select id from rewards where state = 'reserved'",
    );
    const found = new Set(claimed.map(({ id }) => id));
    expect([...acknowledged].filter((id) => !found.has(id))).toEqual([]);
    expect(acknowledged.size).toBe((kill + 1) * CLAIMS_A_KILL);
    if (kill < KILLS - 1) await pair.addStandby();
  }

  // One offer for each claim, for its item, which is with nobody else.
  const [sums] = await askPostgres(
    pair.url,
    `select count(*)::int as offers, count(distinct reward_id)::int as rewards,
       (select count(*)::int from items where state = 'outgoing') as items,
       (select count(*)::int from transfer_items join transfers on transfers.id = transfer_id where kind = 'claim') as parts
     from transfers where kind = 'claim'`,
  );
  const all = KILLS * CLAIMS_A_KILL;
  expect(sums).toEqual({ offers: all, rewards: all, items: all, parts: all });
  expect(failures).toBeGreaterThan(0);
  for (const { child, errors } of processes) {
    expect([child.exitCode, child.signalCode, errors()]).toEqual([null, null, '']);
    const ended = once(child, 'exit');
    child.stdin.end();
    expect(await ended).toEqual([0, null]);
  }
  console.info(`${all} claims, ${failures} failed and were repeated; down for ${downMs.join(', ')} ms`);
});

test('Doctor names a standby that every commit waits for, also to a user without rights over statistics', async ({
  skip,
}) => {
  if (!programs) return skip('this machine has no PostgreSQL server');
  const pair = await startPostgresPair(programs);
  onTestFinished(() => pair.stop());
  await migratePostgres(pair.url);
  await askPostgres(pair.url, 'create role keepsake login; grant usage on schema drizzle to keepsake');
  await askPostgres(pair.url, 'grant all on all tables in schema public, drizzle to keepsake');
  const ownUrl = Object.assign(new URL(pair.url), { username: 'keepsake' }).href;
  const found = async (url: string) =>
    (await examinePostgresServer(url)).map(({ name, what }) => `${name}: ${what}`);
  expect([await found(pair.url), await found(ownUrl)]).toEqual([[], []]);

  await pair.stopStandby();
  const db = await openPostgres(ownUrl, 1);
  onTestFinished(() => db.close());
  const isWritten = db.transaction(async (tx) => {
    const event = sql`insert into events (id, user_id, kind, subject_id, at_ms) values ('1', 'u', 'k', 's', 1)`;
    await (tx as unknown as { execute(query: unknown): Promise<unknown> }).execute(event);
    return true;
  });
  await vi.waitFor(
    async () =>
      expect(await found(ownUrl)).toEqual([
        'standbyMissing: 1 commits have been waiting for a synchronous standby for over 5 s.',
      ]),
    { timeout: 60_000, interval: 200 },
  );
  expect(await found(pair.url)).toEqual([
    expect.stringMatching(
      /^standbyMissing: No synchronous standby is connected .+ 1 commits have been waiting/,
    ),
  ]);
  await pair.goOnAlone();
  expect(await isWritten).toBe(true);
  expect([await found(pair.url), await found(ownUrl)]).toEqual([[], []]);
});
