// Claims rewards and counts watch time on a PostgreSQL that may go away at any time, as the product's
// processes do: failed work is repeated until it is answered. Lines it reads: {"prepare": amount}, a list of
// claims, or {"ticks": amount}; it answers with claims, with a line for each claim or tick that was answered
// and for each kind of failure, and with one that says how many failures were met.
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { openDatabase } from '#db/database.ts';
import { errorCode } from '#db/error-code.ts';
import { migrateDatabase } from '#db/migrate.ts';
import { watchTimes } from '#db/schema/channel.ts';
import { accrueWatchTime } from '#domain/audience/accrue-watch-time.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { minute } from '#domain/kernel/time.ts';
import { type Claim, promiseMany } from '#tests/benchmarks/claims.ts';
import { testVault } from '#tests/support/database.ts';
import { START_MS } from '#tests/support/fixtures.ts';

/** As many as a pool has connections. */
const AT_ONCE = 10;

const store = { databaseUrl: process.env.DATABASE_URL, file: '' };
const say = (line: object) => console.log(JSON.stringify(line));

let failures = 0;
const met = new Set<string>();

/** Repeats something until it is answered. What failed may have been committed: then it is there already. */
async function untilAnswered(work: (isRepeated: boolean) => Promise<void>): Promise<void> {
  for (let isRepeated = false; ; isRepeated = true) {
    try {
      return await work(isRepeated);
    } catch (error) {
      const { message, cause } = error as Error;
      if (message.startsWith('refused')) throw error;
      const failure = `${errorCode(error)} ${cause instanceof Error ? cause.message : message}`;
      if (!met.has(failure)) say({ met: failure });
      met.add(failure);
      failures += 1;
      await delay(20);
    }
  }
}

async function claimAll(claims: readonly Claim[]): Promise<void> {
  const waiting = [...claims];
  const lanes = Array.from({ length: AT_ONCE }, async () => {
    for (let claim = waiting.pop(); claim; claim = waiting.pop()) {
      const own = claim;
      await untilAnswered(async (isRepeated) => {
        const outcome = await claimReward(db, own, START_MS + 2 * minute);
        if (!outcome.ok && !(isRepeated && outcome.code === 'alreadyClaimed'))
          throw new Error(`refused: ${outcome.code}`);
      });
      say({ claimed: claim.rewardId });
    }
  });
  await Promise.all(lanes);
}

/** Counts minutes for everyone who watched before, from the second on. */
async function tickAll(amount: number): Promise<void> {
  const watched = await db.read.select().from(watchTimes);
  const [first] = watched;
  const twitchIds = new Set(watched.map(({ twitchId }) => twitchId));
  const reading = { channelId: first?.channelId ?? '', streamId: 's1', twitchIds };
  for (let tick = 1; tick <= amount; tick += 1) {
    await untilAnswered(async () => {
      await accrueWatchTime(db, reading, START_MS + (1 + tick) * minute);
    });
    say({ ticked: tick });
  }
}

type Order = { prepare: number } | { ticks: number } | Claim[];

await migrateDatabase(store, testVault);
const db = await openDatabase(store, testVault);
for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line) as Order;
  failures = 0;
  if ('prepare' in order) {
    say({ claims: await promiseMany(db, order.prepare) });
    continue;
  }
  await ('ticks' in order ? tickAll(order.ticks) : claimAll(order));
  say({ failures });
}
await db.close();
