import { asc, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { channelGuests, channels } from '#db/schema/channel.ts';

/** A channel of somebody else on which a streamer may run rules. */
export interface OpenChannel {
  id: string;
  login: string;
  displayName: string;
  pictureUrl: string;
  live: boolean;
}

/** The channels whose broadcasters have admitted a streamer, by name. */
export const listChannelsOpenTo = (database: Database, userId: string): Promise<OpenChannel[]> =>
  database.read
    .select({
      id: channels.id,
      login: channels.login,
      displayName: channels.displayName,
      pictureUrl: channels.pictureUrl,
      live: channels.live,
    })
    .from(channelGuests)
    .innerJoin(channels, eq(channels.id, channelGuests.channelId))
    // A channel whose broadcaster has left cannot be read.
    .innerJoin(twitchAccounts, eq(twitchAccounts.twitchId, channels.id))
    .where(eq(channelGuests.userId, userId))
    .orderBy(asc(channels.displayName), asc(channels.id));
