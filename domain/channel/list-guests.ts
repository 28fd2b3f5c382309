import { and, asc, count, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { channelGuests } from '#db/schema/channel.ts';
import { liveRuleStates, rules } from '#db/schema/rule.ts';

/** A streamer allowed to run rules on the channel. */
export interface Guest {
  userId: string;
  /** The Twitch name; null if their account is no longer connected to Twitch. */
  name: string | null;
  pictureUrl: string;
  admittedAtMs: number;
  /** Their rules on the channel that are not closed. */
  rules: number;
}

/** Lists admitted guests in order of admission. */
export async function listGuests(db: Database, { channelId }: { channelId: string }): Promise<Guest[]> {
  const rows = await db.read
    .select({
      userId: channelGuests.userId,
      name: twitchAccounts.displayName,
      pictureUrl: twitchAccounts.pictureUrl,
      admittedAtMs: channelGuests.admittedAtMs,
      rules: count(rules.id),
    })
    .from(channelGuests)
    .leftJoin(twitchAccounts, eq(twitchAccounts.userId, channelGuests.userId))
    .leftJoin(
      rules,
      and(
        eq(rules.ownerId, channelGuests.userId),
        eq(rules.channelId, channelGuests.channelId),
        within(rules.state, liveRuleStates),
      ),
    )
    .where(eq(channelGuests.channelId, channelId))
    .groupBy(
      channelGuests.userId,
      twitchAccounts.displayName,
      twitchAccounts.pictureUrl,
      channelGuests.admittedAtMs,
    )
    .orderBy(asc(channelGuests.admittedAtMs), asc(channelGuests.userId));
  return rows.map(({ pictureUrl, ...guest }) => ({ ...guest, pictureUrl: pictureUrl ?? '' }));
}
