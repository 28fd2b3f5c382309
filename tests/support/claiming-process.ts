// Claims rewards on a PostgreSQL that may go away at any time, as the product's processes do: a claim that fails is
// repeated until it is answered. Lines it reads: {"prepare": amount} or a list of claims; it answers with claims, with a
// line for each claim that was answered, and with one that says how many failures were met.
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { openDatabase } from '#db/database.ts';
import { migrateDatabase } from '#db/migrate.ts';
import { claimReward } from '#domain/reward/claim-reward.ts';
import { minute } from '#domain/time.ts';
import { type Claim, promiseMany } from '#tests/benchmarks/claims.ts';
import { testVault } from '#tests/support/database.ts';
import { START_MS } from '#tests/support/fixtures.ts';

/** As many as a pool has connections. */
const AT_ONCE = 10;

const store = { databaseUrl: process.env.DATABASE_URL, file: '' };
const say = (line: object) => console.log(JSON.stringify(line));

/** How often a claim failed before it was answered. A failed one may have been committed: then it is there already. */
async function claimUntilAnswered(claim: Claim): Promise<number> {
  for (let failures = 0; ; failures += 1) {
    try {
      const outcome = await claimReward(database, claim, START_MS + 2 * minute);
      if (!outcome.ok && !(failures > 0 && outcome.code === 'alreadyClaimed'))
        throw new Error(`refused: ${outcome.code}`);
      return failures;
    } catch (error) {
      if ((error as Error).message.startsWith('refused')) throw error;
      await delay(20);
    }
  }
}

async function claimAll(claims: readonly Claim[]): Promise<void> {
  const waiting = [...claims];
  let failures = 0;
  const lanes = Array.from({ length: AT_ONCE }, async () => {
    for (let claim = waiting.pop(); claim; claim = waiting.pop()) {
      failures += await claimUntilAnswered(claim);
      say({ claimed: claim.rewardId });
    }
  });
  await Promise.all(lanes);
  say({ failures });
}

await migrateDatabase(store, testVault);
const database = await openDatabase(store, testVault);
for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line) as { prepare: number } | Claim[];
  if (Array.isArray(order)) await claimAll(order);
  else say({ claims: await promiseMany(database, order.prepare) });
}
await database.close();
