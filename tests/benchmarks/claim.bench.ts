// The domain's claim, compared with its own statements, prepared and replayed raw: one transaction each, one at a time,
// synchronous FULL, alternating on two copies of one file.
import { copyFileSync, rmSync } from 'node:fs';
import { openSqlite } from '#db/database.ts';
import { type Claim, claimAll, promiseMany } from '#tests/benchmarks/claims.ts';
import { compare, costOf, rounded } from '#tests/benchmarks/measure.ts';
import { type BenchOptions, makeBenchFile } from '#tests/benchmarks/store.ts';
import { BetterSqlite } from '#tests/support/better-sqlite.ts';

/** Enough that the median is that of compiled code: the first dozen rounds still pay for V8 compiling it. */
const ROUNDS = 40;
const BLOCK = 100;
const CLAIMS = (ROUNDS + 1) * BLOCK;

interface Call {
  source: string;
  method: 'run' | 'all' | 'get';
  values: unknown[];
}

export async function run(options: BenchOptions) {
  const { file, folder } = await makeBenchFile(options);
  const preparing = await openSqlite(file);
  const claims = await promiseMany(preparing, CLAIMS);
  await preparing.close();
  const copies = { recorded: `${file}.recorded`, replayed: `${file}.replayed` };
  for (const copy of Object.values(copies)) copyFileSync(file, copy);

  const recordings = await record(copies.recorded, claims);
  const db = await openSqlite(file);
  const raw = new BetterSqlite(copies.replayed);
  raw.pragma('journal_mode = WAL');
  raw.pragma('synchronous = FULL');
  raw.pragma('foreign_keys = ON');
  const replay = replayer(raw);

  const blockOf = <T>(all: readonly T[], round: number) => all.slice(round * BLOCK, (round + 1) * BLOCK);
  const findings = await compare({
    rounds: ROUNDS,
    subject: (round) => costOf(() => claimAll(db, blockOf(claims, round))),
    reference: (round) => costOf(() => blockOf(recordings, round).forEach(replay)),
  });
  raw.close();
  await db.close();
  rmSync(folder, { recursive: true, force: true });
  return {
    ...findings,
    claimCpuMs: rounded(findings.cpuMs / BLOCK),
    statementsPerClaim: recordings[0]?.length ?? 0,
  };
}

/** Runs the claims on a copy and records every statement with its values. */
async function record(file: string, claims: readonly Claim[]): Promise<Call[][]> {
  const { prepare } = BetterSqlite.prototype;
  const calls: Call[] = [];
  BetterSqlite.prototype.prepare = function (this: BetterSqlite.Database, source: string) {
    const made = prepare.call(this, source);
    for (const method of ['run', 'all', 'get'] as const) {
      const call = made[method].bind(made);
      made[method] = ((...values: unknown[]) => {
        calls.push({ source, method, values });
        return Reflect.apply(call, made, values);
      }) as never;
    }
    return made;
  } as typeof prepare;
  const recordings: Call[][] = [];
  const db = await openSqlite(file);
  for (const claim of claims) {
    calls.length = 0;
    await claimAll(db, [claim]);
    recordings.push([...calls]);
  }
  await db.close();
  BetterSqlite.prototype.prepare = prepare;
  return recordings;
}

function replayer(raw: BetterSqlite.Database): (recording: readonly Call[]) => void {
  const prepared = new Map<string, BetterSqlite.Statement>();
  return (recording) => {
    for (const { source, method, values } of recording) {
      let statement = prepared.get(source);
      if (!statement) {
        statement = raw.prepare(source);
        prepared.set(source, statement);
      }
      statement[method](...values);
    }
  };
}
