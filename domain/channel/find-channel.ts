import { eq } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';

/** Returns the id of the user's own channel; null if no Twitch account is linked. */
export async function findChannelOf(q: Reader, userId: string): Promise<string | null> {
  const [twitch] = await q
    .select({ id: twitchAccounts.twitchId })
    .from(twitchAccounts)
    .where(eq(twitchAccounts.userId, userId));
  return twitch?.id ?? null;
}
