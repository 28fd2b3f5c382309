import { asc, gt } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';

/**
 * Lists the Twitch ids of all linked accounts, page by page in a fixed order; `after` is the last one read.
 */
export async function listLinkedIds(
  q: Reader,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const rows = await q
    .select({ twitchId: twitchAccounts.twitchId })
    .from(twitchAccounts)
    .where(gt(twitchAccounts.twitchId, after))
    .orderBy(asc(twitchAccounts.twitchId))
    .limit(limit);
  return rows.map(({ twitchId }) => twitchId);
}
