import { and, asc, eq, gt } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { watchTimes } from '#db/schema/channel.ts';
import { qualifications } from '#db/schema/rule.ts';

/** Finds the Twitch id that ends a slice of a channel's viewers, by their ids; null if it is the last slice. */
export async function findLastViewer(
  q: Reader,
  { channelId, after, size }: { channelId: string; after: string; size: number },
): Promise<string | null> {
  const [end] = await q
    .select({ twitchId: watchTimes.twitchId })
    .from(watchTimes)
    .where(and(eq(watchTimes.channelId, channelId), gt(watchTimes.twitchId, after)))
    .orderBy(asc(watchTimes.twitchId))
    .limit(1)
    .offset(size - 1);
  return end?.twitchId ?? null;
}

/** Like `findLastViewer`, of those who met a rule. */
export async function findLastPlace(
  q: Reader,
  { ruleId, after, size }: { ruleId: string; after: string; size: number },
): Promise<string | null> {
  const [end] = await q
    .select({ twitchId: qualifications.twitchId })
    .from(qualifications)
    .where(and(eq(qualifications.ruleId, ruleId), gt(qualifications.twitchId, after)))
    .orderBy(asc(qualifications.twitchId))
    .limit(1)
    .offset(size - 1);
  return end?.twitchId ?? null;
}
