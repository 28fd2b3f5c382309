import { eq } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { type Locale, users } from '#db/schema/user.ts';

/** The language in which a channel's chat is answered: its broadcaster's own. */
export async function getChannelLocale(q: Reader, channelId: string): Promise<Locale> {
  const [owner] = await q
    .select({ locale: users.locale })
    .from(twitchAccounts)
    .innerJoin(users, eq(users.id, twitchAccounts.userId))
    .where(eq(twitchAccounts.twitchId, channelId));
  return owner?.locale ?? 'en';
}
