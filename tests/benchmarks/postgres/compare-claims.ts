import { openPostgres } from '#db/database.ts';
import { claimAll, promiseMany } from '#tests/benchmarks/claims.ts';
import { compare, costOf, rounded } from '#tests/benchmarks/measure.ts';
import { connect, makeDatabases, preparing } from '#tests/benchmarks/postgres/databases.ts';
import { recordEach, replayer } from '#tests/benchmarks/postgres/replay.ts';
import type { BenchOptions } from '#tests/benchmarks/store.ts';

/** First the code is compiled. All claims together are of one rule, which may give a thousand rewards. */
const WARM_UPS = 8;
const ROUNDS = 16;
const BLOCK = 40;

/** Claims one at a time, compared with the same statements raw, in one transaction each. */
export async function compareClaims(serverUrl: string, options: BenchOptions) {
  await using databases = await makeDatabases(serverUrl, options);
  const claims = await preparing(databases.url, (db) => promiseMany(db, (WARM_UPS + ROUNDS) * BLOCK));
  const [recordedUrl, replayedUrl] = [await databases.copy(), await databases.copy()];
  const recordings = await preparing(recordedUrl, (db) =>
    recordEach(claims.map((claim) => () => claimAll(db, [claim]))),
  );
  const db = await openPostgres(databases.url, 1);
  const raw = await connect(replayedUrl);
  const replay = replayer(raw);
  const blockOf = <T>(all: readonly T[], round: number) => all.slice(round * BLOCK, (round + 1) * BLOCK);
  const findings = await compare({
    rounds: ROUNDS,
    warmUps: WARM_UPS,
    subject: (round) => costOf(() => claimAll(db, blockOf(claims, round))),
    reference: (round) => costOf(() => replay(blockOf(recordings, round).flat())),
  });
  const { rows } = await raw.query("select count(*)::int as n from rewards where state = 'reserved'");
  const missing = claims.length - rows[0].n;
  await Promise.all([raw.end(), db.close()]);
  if (missing > 0) throw new Error(`${missing} claims were not replayed`);
  return {
    ...findings,
    claimCpuMs: rounded(findings.cpuMs / BLOCK),
    statements: recordings[0]?.length ?? 0,
  };
}
