import { and, asc, count, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { channelGuests } from '#db/schema/channel.ts';
import { liveRuleStates, rules } from '#db/schema/rule.ts';
import { users } from '#db/schema/user.ts';

/** A streamer allowed to run rules on the channel. */
export interface Guest {
  userId: string;
  /** The Twitch name, or the account's name if Twitch is no longer linked. */
  name: string;
  pictureUrl: string;
  admittedAtMs: number;
  /** Their rules on the channel that are not closed. */
  rules: number;
}

/** Lists admitted guests in order of admission. */
export async function listGuests(database: Database, { channelId }: { channelId: string }): Promise<Guest[]> {
  const rows = await database.read
    .select({
      userId: channelGuests.userId,
      userName: users.name,
      twitchName: twitchAccounts.displayName,
      pictureUrl: twitchAccounts.pictureUrl,
      admittedAtMs: channelGuests.admittedAtMs,
      rules: count(rules.id),
    })
    .from(channelGuests)
    .innerJoin(users, eq(users.id, channelGuests.userId))
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
      users.name,
      twitchAccounts.displayName,
      twitchAccounts.pictureUrl,
      channelGuests.admittedAtMs,
    )
    .orderBy(asc(channelGuests.admittedAtMs), asc(channelGuests.userId));
  return rows.map(({ userName, twitchName, pictureUrl, ...guest }) => ({
    ...guest,
    name: twitchName ?? userName,
    pictureUrl: pictureUrl ?? '',
  }));
}
