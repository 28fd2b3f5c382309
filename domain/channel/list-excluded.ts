import { asc, eq } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { excludedLogins } from '#db/schema/channel.ts';

/** A login that earns no watch time. The id is known once the login was seen in chat. */
export interface Excluded {
  login: string;
  twitchId: string | null;
}

/** Lists the logins excluded from watch time on a channel, besides its broadcaster and known bots. */
export async function listExcluded(q: Reader, channelId: string): Promise<Excluded[]> {
  return q
    .select({ login: excludedLogins.login, twitchId: excludedLogins.twitchId })
    .from(excludedLogins)
    .where(eq(excludedLogins.channelId, channelId))
    .orderBy(asc(excludedLogins.login));
}
