import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { Reader, Tx } from '#db/database.ts';
import { channels, watchTimes } from '#db/schema/channel.ts';
import { lastCountedMs, watched, whoIsDue } from '#domain/watch-time/watched.ts';

/** The rows of watch time with everybody's total, whether they are present or away. */
export const watchedRows = (q: Reader, where?: SQL) =>
  q
    .select({ ...getTableColumns(watchTimes), seconds: watched, countedUntilMs: lastCountedMs })
    .from(watchTimes)
    .where(where);

/** Sets totals and next checks of viewers, of whom those present stay so. */
export async function setWatched(
  tx: Tx,
  { seconds, nextCheckSeconds }: { seconds: number; nextCheckSeconds: number },
  where?: SQL,
): Promise<void> {
  const counted = sql`(select ${channels.counted} from ${channels} where ${channels.id} = ${watchTimes.channelId})`;
  const dueNow = seconds >= nextCheckSeconds ? sql`0` : sql`null`;
  await tx
    .update(watchTimes)
    .set({
      seconds,
      nextCheckSeconds,
      since: sql`case when ${watchTimes.since} is not null then ${counted} end`,
      crossAt: sql`case when ${watchTimes.since} is not null then ${counted} + ${sql.raw(String(nextCheckSeconds - seconds))} else ${dueNow} end`,
    })
    .where(where);
}

/** Counts the viewers of a channel whom the next tick evaluates. */
export const countDue = async (q: Reader, channelId: string): Promise<number> =>
  (await whoIsDue(q, channelId)).length;
