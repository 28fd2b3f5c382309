import { and, eq } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { selfTests } from '#db/schema/self-test.ts';

/** One endpoint's view of a known offer, compared with the bot's. */
export type SelfTest = Pick<
  typeof selfTests.$inferSelect,
  'endpoint' | 'appId' | 'offers' | 'difference' | 'offerId'
>;

/**
 * Stores what a bot's self-test found, in place of what the last one had found of the same endpoint, game and kind of
 * offers. Returns the tests whose endpoint agreed before and differs now, or the other way round.
 */
export async function recordSelfTest(
  db: Database,
  { botId, tests }: { botId: string; tests: readonly SelfTest[] },
  nowMs: number,
): Promise<SelfTest[]> {
  return db.transaction(async (tx) => {
    const changed: SelfTest[] = [];
    for (const test of tests) if (await record(tx, botId, test, nowMs)) changed.push(test);
    return changed;
  });
}

async function record(tx: Tx, botId: string, test: SelfTest, nowMs: number): Promise<boolean> {
  const { endpoint, appId, offers, difference, offerId } = test;
  const same = and(
    eq(selfTests.botId, botId),
    eq(selfTests.endpoint, endpoint),
    eq(selfTests.appId, appId),
    eq(selfTests.offers, offers),
  );
  const [before] = await tx.select({ sinceMs: selfTests.differsSinceMs }).from(selfTests).where(same);
  const sinceMs = before?.sinceMs ?? null;
  const found = {
    difference,
    offerId,
    testedAtMs: nowMs,
    differsSinceMs: difference === null ? null : (sinceMs ?? nowMs),
  };
  await tx
    .insert(selfTests)
    .values({ botId, endpoint, appId, offers, ...found })
    .onConflictDoUpdate({
      target: [selfTests.botId, selfTests.endpoint, selfTests.appId, selfTests.offers],
      set: found,
    });
  return (sinceMs !== null) !== (difference !== null);
}
