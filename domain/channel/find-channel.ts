import { eq } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';

/** The id of the channel that somebody broadcasts: that of their Twitch account; null when none is linked. */
export async function findChannelOf(q: Reader, userId: string): Promise<string | null> {
  const [twitch] = await q
    .select({ id: twitchAccounts.twitchId })
    .from(twitchAccounts)
    .where(eq(twitchAccounts.userId, userId));
  return twitch?.id ?? null;
}
