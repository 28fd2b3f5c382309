import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { Database } from '#db/database.ts';
import { type Claim, claimAll, promiseMany } from '#tests/benchmarks/claims.ts';
import { median, rounded } from '#tests/benchmarks/measure.ts';
import { connect, makeDatabases, preparing } from '#tests/benchmarks/postgres/databases.ts';
import { recordEach } from '#tests/benchmarks/postgres/replay.ts';
import type { BenchOptions } from '#tests/benchmarks/store.ts';

const PROCESSES = [1, 2, 4] as const;
const ROUNDS = 7;
/** Per run, for all processes together: enough to last most of a second, so that start and end matter little. */
const CLAIMS = 800;
/** The claims that a process takes at a time. Faster ones take more, so none waits long at the end. */
const HANDFUL = 5;
/** A streamer can attach a few thousand rewards a month at most, so each part of the claims has its own streamer. */
const REWARDS_PER_RULE = 1000;
/** Per process, before measuring: until its code is compiled. */
const WARM_UP = 1000;

/** The work of claimers: to claim, or to replay the statements of claiming. */
const sides = ['claims', 'raw'] as const;
type Side = (typeof sides)[number];

/**
 * Claims per second by one, two and four processes, the median of each; each process claims one at a time. Beside it the
 * same statements raw, by as many processes: what the machine and its PostgreSQL allow.
 */
export async function throughputs(serverUrl: string, options: BenchOptions): Promise<Record<string, number>> {
  await using databases = await makeDatabases(serverUrl, options);
  const max = Math.max(...PROCESSES);
  const amount = max * WARM_UP + PROCESSES.length * ROUNDS * CLAIMS;
  const claims = await preparing(databases.url, (db) => promiseInParts(db, amount));
  const [recordedUrl, replayedUrl] = [await databases.copy(), await databases.copy()];
  const calls = await preparing(recordedUrl, (db) =>
    recordEach(claims.map((claim) => () => claimAll(db, [claim]))),
  );
  const folder = mkdtempSync(join(tmpdir(), 'keepsake-claims-'));
  const save = (name: string, work: unknown): string => {
    const file = join(folder, name);
    writeFileSync(file, JSON.stringify(work));
    return file;
  };
  const [claimsFile, callsFile] = [save('claims.json', claims), save('calls.json', calls)];
  const workers = {
    claims: Array.from({ length: max }, () => startClaimer(databases.url, claimsFile, 'claims')),
    raw: Array.from({ length: max }, () => startClaimer(replayedUrl, callsFile, 'raw')),
  };
  const left = { claims: claims.map((_, place) => place), raw: claims.map((_, place) => place) };
  for (const side of sides)
    await Promise.all(workers[side].map((worker) => order(worker, left[side].splice(0, WARM_UP))));

  const found = new Map<string, number[]>();
  for (let round = 0; round < ROUNDS; round++)
    for (const count of inTurn(PROCESSES, round))
      for (const side of inTurn(sides, round)) {
        const perSecond = await measure(someOf(workers[side], count, round), left[side].splice(0, CLAIMS));
        const name = `${side}PerSecond${count}`;
        found.set(name, [...(found.get(name) ?? []), perSecond]);
      }
  for (const worker of [...workers.claims, ...workers.raw]) worker.disconnect();
  rmSync(folder, { recursive: true });
  for (const url of [databases.url, replayedUrl]) {
    const made = await countReserved(url);
    if (made !== amount) throw new Error(`${made} claims were made instead of ${amount}`);
  }
  return Object.fromEntries([...found].sort().map(([name, each]) => [name, rounded(median(each), 1)]));
}

async function countReserved(url: string): Promise<number> {
  const client = await connect(url);
  const { rows } = await client.query("select count(*)::int as n from rewards where state = 'reserved'");
  await client.end();
  return rows[0].n;
}

const inTurn = <T>(all: readonly T[], round: number): readonly T[] =>
  round % 2 === 0 ? all : [...all].reverse();

/** Other ones in each round, so that all are equally compiled. */
const someOf = <T>(all: readonly T[], count: number, round: number): readonly T[] =>
  [...all.slice(round % all.length), ...all].slice(0, count);

/** Returns how many of these claims the workers make in a second. */
async function measure(workers: readonly ChildProcess[], shared: number[]): Promise<number> {
  const { length } = shared;
  const begin = performance.now();
  await Promise.all(
    workers.map(async (worker) => {
      while (shared.length > 0) await order(worker, shared.splice(0, HANDFUL));
    }),
  );
  return (length / (performance.now() - begin)) * 1000;
}

async function promiseInParts(db: Database, amount: number): Promise<Claim[]> {
  const promised: Claim[] = [];
  while (promised.length < amount)
    promised.push(...(await promiseMany(db, Math.min(REWARDS_PER_RULE, amount - promised.length))));
  return promised;
}

const startClaimer = (url: string, file: string, side: Side): ChildProcess =>
  fork(new URL('./claimer.ts', import.meta.url), [file, side], {
    execArgv: ['--import', 'tsx'],
    env: { ...process.env, DATABASE_URL: url },
  });

async function order(worker: ChildProcess, places: readonly number[]): Promise<void> {
  const answered = new AbortController();
  worker.send(places);
  const [failure] = await Promise.race([
    once(worker, 'message', answered),
    once(worker, 'exit', answered).then(() => ['a claiming process has ended']),
  ]);
  answered.abort();
  if (failure) throw new Error(String(failure));
}
