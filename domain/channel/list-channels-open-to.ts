import { asc, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { channelGuests, channels } from '#db/schema/channel.ts';
import { type ChannelSummary, channelSummaryColumns } from './channel-summary.ts';

/** Lists the channels whose broadcasters have admitted a streamer, by name. */
export const listChannelsOpenTo = (db: Database, userId: string): Promise<ChannelSummary[]> =>
  db.read
    .select(channelSummaryColumns)
    .from(channelGuests)
    .innerJoin(channels, eq(channels.id, channelGuests.channelId))
    // A channel whose broadcaster has unlinked Twitch cannot be read.
    .innerJoin(twitchAccounts, eq(twitchAccounts.twitchId, channels.id))
    .where(eq(channelGuests.userId, userId))
    .orderBy(asc(channels.displayName), asc(channels.id));
