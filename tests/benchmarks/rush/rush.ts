import { sql } from 'drizzle-orm';
import { openPostgres } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { transfers } from '#db/schema/transfer.ts';
import { openSession } from '#domain/identity/session/open-session.ts';
import { hour } from '#domain/kernel/time.ts';
import { type Claim, promiseMany } from '#tests/benchmarks/claims.ts';
import { median } from '#tests/benchmarks/measure.ts';
import { preparing } from '#tests/benchmarks/postgres/databases.ts';
import { type Press, startCrowd } from '#tests/benchmarks/rush/web-crowd.ts';

const VIEWERS = 1_000;
const PRESSES = 5;
/** Claims and other POSTs are measured in turn, in as many blocks of as many. */
const BLOCKS = 8;
const BLOCK = 60;
/** Blocks that come before and do not count, until each process has compiled the code. */
const WARM_UPS = 3;
const AT_ONCE = 64;
/** The answer to a claim, first or repeated. A redirect to the sign-in is another. */
const CLAIMED = '302 /rewardProgress with a message';

interface Viewer extends Claim {
  token: string;
}

export interface RushFindings {
  /** The CPU time of the web process for a first claim, and for a signed-in POST that writes one row. */
  claimCpuMs: number;
  referenceCpuMs: number;
  /** Of all presses of the rush, at all processes together. */
  pressCpuMs: number;
  pressesPerSecond: number;
}

/** Lets a crowd claim at this many web processes over one database. */
export async function rush(databaseUrl: string, processes: number): Promise<RushFindings> {
  const viewers = await promiseTo(databaseUrl, VIEWERS + (WARM_UPS + BLOCKS) * BLOCK);
  const measured = viewers.splice(VIEWERS);
  await using crowd = await startCrowd(databaseUrl, processes);
  const { claimCpuMs, referenceCpuMs } = await compareClaims(crowd, measured);

  const before = await countTransfers(databaseUrl);
  const presses = inTurns(viewers.map((viewer) => Array.from({ length: PRESSES }, () => claimOf(viewer))));
  const [cpuMs, begin] = [crowd.cpuMs(), performance.now()];
  const answered = await crowd.press(presses, AT_ONCE);
  const seconds = (performance.now() - begin) / 1000;
  const pressCpuMs = (crowd.cpuMs() - cpuMs) / presses.length;
  const sent = (await countTransfers(databaseUrl)) - before;
  const answers = JSON.stringify(Object.fromEntries(answered));
  // Everybody is told that the claim succeeded, also those whose earlier press did it.
  if (sent !== VIEWERS || answered.get(CLAIMED) !== presses.length)
    throw new Error(`${sent} transfers for ${VIEWERS} rewards, answers: ${answers}`);
  console.log(`${processes} web: ${presses.length} presses, ${sent} transfers, answers ${answers}`);
  return { claimCpuMs, referenceCpuMs, pressCpuMs, pressesPerSecond: presses.length / seconds };
}

async function compareClaims(crowd: Awaited<ReturnType<typeof startCrowd>>, viewers: readonly Viewer[]) {
  const costs: { claim: number; other: number }[] = [];
  const costOf = async (presses: readonly Press[]) => {
    const before = crowd.cpuMs();
    await crowd.press(presses, 4);
    return (crowd.cpuMs() - before) / presses.length;
  };
  for (let block = 0; block < WARM_UPS + BLOCKS; block++) {
    const some = viewers.slice(block * BLOCK, (block + 1) * BLOCK);
    const claims = some.map(claimOf);
    const others = some.map(({ token }) => ({ path: '/theme', token, body: 'theme=dark&to=/' }));
    const [claim, other] =
      block % 2 === 0
        ? [await costOf(claims), await costOf(others)]
        : [await costOf(others), await costOf(claims)].reverse();
    if (block >= WARM_UPS) costs.push({ claim: claim ?? 0, other: other ?? 0 });
  }
  return {
    claimCpuMs: median(costs.map(({ claim }) => claim)),
    referenceCpuMs: median(costs.map(({ other }) => other)),
  };
}

const claimOf = ({ rewardId, token }: Viewer): Press => ({
  path: `/rewards/${rewardId}/claim`,
  token,
  body: '',
});

const promiseTo = (databaseUrl: string, amount: number): Promise<Viewer[]> =>
  preparing(databaseUrl, async (db) => {
    const viewers: Viewer[] = [];
    const nowMs = Date.now();
    for (const claim of await promiseMany(db, amount, nowMs - hour)) {
      const { token } = await openSession(db, { userId: claim.userId, userAgent: 'rush' }, nowMs);
      viewers.push({ ...claim, token });
    }
    return viewers;
  });

async function countTransfers(databaseUrl: string): Promise<number> {
  const db = await openPostgres(databaseUrl);
  const [row] = await db.read
    .select({ count: sql<number>`count(*)`.mapWith(Number) })
    .from(transfers)
    .where(is(transfers.kind, 'claim'));
  await db.close();
  return row?.count ?? 0;
}

/** Half of the viewers press many times at once, the others once in each of as many rounds, far apart. */
function inTurns(viewers: readonly (readonly Press[])[]): Press[] {
  const hasty = viewers.filter((_, place) => place % 2 === 0);
  const patient = viewers.filter((_, place) => place % 2 === 1);
  const rounds = Array.from({ length: PRESSES }, (_, round) =>
    patient.flatMap((presses) => presses.slice(round, round + 1)),
  );
  return [...hasty.flat(), ...rounds.flat()];
}
