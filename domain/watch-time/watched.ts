import { and, type Placeholder, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { lookedUp } from '#db/dialect.ts';
import { channels, watchTimes } from '#db/schema/channel.ts';

// Nested, because drizzle names no tables for columns that stand directly in a select list.
const nested = <T>(expression: SQL): SQL<T> => sql<T>`${expression}`;

const ofChannel = (column: SQLWrapper): SQL =>
  sql`(select ${column} from ${channels} where ${channels.id} = ${watchTimes.channelId})`;

/**
 * SQL for the seconds that a viewer has watched on a channel, in a query over watch times: the only way to read them.
 * Null if the query joins no row.
 */
export const watched = nested<number>(
  sql`case when ${watchTimes.since} is null then ${watchTimes.seconds} else ${watchTimes.seconds} + ${ofChannel(channels.counted)} - ${watchTimes.since} end`,
).mapWith(Number);

/** SQL for the end of the last interval that counted for a viewer, in such a query; null if none did. */
export const lastCountedMs = nested<number | null>(
  sql`case when ${watchTimes.since} is null then ${watchTimes.countedUntilMs} else ${ofChannel(channels.lookedUntilMs)} end`,
).mapWith(Number);

/** SQL for `crossAt` of viewers whose next check is at this total: null while they are away. */
export const crossingOf = (nextCheckSeconds: SQLWrapper): SQL =>
  sql`${watchTimes.since} - ${watchTimes.seconds} + ${nextCheckSeconds}`;

/** Selects the viewers of a channel who passed a threshold since they were last evaluated. */
export function whoIsDue(q: Reader, channelId: string | Placeholder) {
  const isDueThere = sql`${watchTimes.channelId} = ${channels.id} and ${watchTimes.crossAt} <= ${channels.counted}`;
  return (
    q
      // An expression, because drizzle does not see that the table is joined.
      .select({ twitchId: sql<string>`${watchTimes.twitchId}`.as('due_id') })
      .from(channels)
      .crossJoin(lookedUp(watchTimes, isDueThere))
      .where(and(sql`${channels.id} = ${channelId}`, isDueThere))
  );
}
