import { and, asc, eq, inArray, isNotNull } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { selfTests, type TestedEndpoint } from '#db/schema/self-test.ts';

export type ListedSelfTest = typeof selfTests.$inferSelect;

/** Lists the last self-tests of all bots. */
export const listSelfTests = (q: Reader): Promise<ListedSelfTest[]> =>
  q
    .select()
    .from(selfTests)
    .orderBy(asc(selfTests.botId), asc(selfTests.endpoint), asc(selfTests.appId), asc(selfTests.offers));

/**
 * Returns whether an endpoint showed something else than a bot knew of offers of one of these games. Nothing is concluded
 * from it then, until a self-test with such offers agrees again.
 */
export async function isEndpointDoubted(
  q: Reader,
  { botId, endpoint, appIds }: { botId: string; endpoint: TestedEndpoint; appIds: readonly number[] },
): Promise<boolean> {
  const rows = await q
    .select({ appId: selfTests.appId })
    .from(selfTests)
    .where(
      and(
        eq(selfTests.botId, botId),
        isNotNull(selfTests.difference),
        eq(selfTests.endpoint, endpoint),
        inArray(selfTests.appId, [...appIds]),
      ),
    )
    .limit(1);
  return rows.length > 0;
}
