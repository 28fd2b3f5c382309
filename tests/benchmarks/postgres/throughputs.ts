import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import type { Database } from '#db/database.ts';
import { type Claim, promiseMany } from '#tests/benchmarks/claims.ts';
import { median, rounded } from '#tests/benchmarks/measure.ts';
import { makeDatabases, preparing } from '#tests/benchmarks/postgres/databases.ts';
import type { BenchOptions } from '#tests/benchmarks/store.ts';

const PROCESSES = [1, 2, 4] as const;
const ROUNDS = 5;
/** Per run, for all processes together: enough to last most of a second, so that start and end matter little. */
const CLAIMS = 400;
/** The claims that a process takes at a time. Faster ones take more, so none waits long at the end. */
const HANDFUL = 10;
/** A streamer can attach a few thousand rewards a month at most, so each part of the claims has its own streamer. */
const REWARDS_PER_RULE = 1000;
/** Per process, before measuring. */
const WARM_UP = 25;

/** Claims per second by one, two and four processes, the median of each; each process claims one at a time. */
export async function throughputs(serverUrl: string, options: BenchOptions): Promise<Record<string, number>> {
  await using databases = await makeDatabases(serverUrl, options);
  const max = Math.max(...PROCESSES);
  const amount = max * WARM_UP + PROCESSES.length * ROUNDS * CLAIMS;
  const claims = await preparing(databases.url, (database) => promiseInParts(database, amount));
  const workers = Array.from({ length: max }, () => startClaimer(databases.url));
  await Promise.all(workers.map((worker) => claim(worker, claims.splice(0, WARM_UP))));

  const found = new Map<number, number[]>(PROCESSES.map((count) => [count, []]));
  for (let round = 0; round < ROUNDS; round++)
    for (const count of round % 2 === 0 ? PROCESSES : [...PROCESSES].reverse()) {
      const shared = claims.splice(0, CLAIMS);
      const begin = performance.now();
      await Promise.all(workers.slice(0, count).map((worker) => claimFrom(worker, shared)));
      found.get(count)?.push((CLAIMS / (performance.now() - begin)) * 1000);
    }
  for (const worker of workers) worker.disconnect();
  return Object.fromEntries(
    [...found].map(([count, perSecond]) => [`claimsPerSecond${count}`, rounded(median(perSecond), 1)]),
  );
}

async function promiseInParts(database: Database, amount: number): Promise<Claim[]> {
  const promised: Claim[] = [];
  while (promised.length < amount)
    promised.push(...(await promiseMany(database, Math.min(REWARDS_PER_RULE, amount - promised.length))));
  return promised;
}

async function claimFrom(worker: ChildProcess, shared: Claim[]): Promise<void> {
  while (shared.length > 0) await claim(worker, shared.splice(0, HANDFUL));
}

const startClaimer = (url: string): ChildProcess =>
  fork(new URL('./claimer.ts', import.meta.url), {
    execArgv: ['--import', 'tsx'],
    env: { ...process.env, DATABASE_URL: url },
  });

async function claim(worker: ChildProcess, claims: readonly Claim[]): Promise<void> {
  const answered = new AbortController();
  worker.send(claims);
  const [failure] = await Promise.race([
    once(worker, 'message', answered),
    once(worker, 'exit', answered).then(() => ['a claiming process has ended']),
  ]);
  answered.abort();
  if (failure) throw new Error(String(failure));
}
