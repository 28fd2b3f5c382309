import { and, count, eq, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is, isAmong, within } from '#db/dialect.ts';
import { channels } from '#db/schema/channel.ts';
import { rewards } from '#db/schema/reward.ts';
import { liveRuleStates, rules } from '#db/schema/rule.ts';
import { statement } from '#db/statement.ts';

const readCounted = statement('counted_channels', (q) =>
  q
    .select({ channelId: channels.id, live: channels.live, untilMs: channels.watchedUntilMs })
    .from(channels)
    .where(isAmong(channels.id, sql.placeholder('ids'))),
);

/** A channel that a page shows, and until when watch time is counted on it; null if not yet. Domain time. */
export interface CountedChannel {
  channelId: string;
  live: boolean;
  untilMs: number | null;
}

/** Returns which of these channels are live, and until when watch time is counted on them. */
export async function listCounted(
  { read }: Database,
  channelIds: Iterable<string>,
): Promise<CountedChannel[]> {
  return readCounted(read, { ids: JSON.stringify([...channelIds]) });
}

const readRules = statement('offered_rules', (q) =>
  q
    .select({
      channelId: rules.channelId,
      ruleId: rules.id,
      pauseReason: rules.pauseReason,
      free: count(rewards.id),
    })
    .from(rules)
    .leftJoin(rewards, and(eq(rewards.ruleId, rules.id), is(rewards.state, 'free')))
    .where(and(isAmong(rules.channelId, sql.placeholder('ids')), within(rules.state, liveRuleStates)))
    .groupBy(rules.id, rules.channelId, rules.pauseReason),
);

/** A live rule with the number of its free rewards. */
export type OfferedRule = Omit<Awaited<ReturnType<typeof readRules>>[number], 'channelId'>;

/** Reads the live rules of these channels. */
export async function readOffered(
  { read }: Database,
  channelIds: readonly string[],
): Promise<Map<string, OfferedRule[]>> {
  if (channelIds.length === 0) return new Map();
  const byChannel = new Map<string, OfferedRule[]>();
  for (const { channelId, ...rule } of await readRules(read, { ids: JSON.stringify(channelIds) }))
    byChannel.set(channelId, [...(byChannel.get(channelId) ?? []), rule]);
  return byChannel;
}
