import { and, asc, count, eq, gt, or, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { channels } from '#db/schema/channel.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { contains } from '#db/search.ts';
import { type ShownChannel, shownChannel } from '#domain/channel/shown-channel.ts';
import { decodeCursor, PAGE_SIZE, type Page, pageOf } from '#domain/page.ts';

/** A channel on which something can be earned now. */
export interface ListedChannel extends ShownChannel {
  gameName: string;
  title: string;
  lastSeenAtMs: number;
  openRules: number;
  freeRewards: number;
}

/** Channels with an open rule, by their logins. */
export async function listChannels(
  database: Database,
  asked: {
    search?: string | undefined;
    live?: boolean | undefined;
    after?: string | null;
    size?: number;
  },
): Promise<Page<ListedChannel>> {
  const size = asked.size ?? PAGE_SIZE;
  const place = decodeCursor(asked.after, ['text', 'text']);
  const [login, id] = place ?? [];
  const later = or(
    gt(channels.login, login ?? ''),
    and(eq(channels.login, login ?? ''), gt(channels.id, id ?? '')),
  );
  const rows = await database.read
    .select({
      ...shownChannel,
      gameName: channels.gameName,
      title: channels.title,
      lastSeenAtMs: channels.lastSeenAtMs,
      openRules: sql<number>`count(distinct ${rules.id})`.mapWith(Number).as('open_rules'),
      freeRewards: count(rewards.id).as('free_rewards'),
    })
    .from(channels)
    .innerJoin(rules, and(eq(rules.channelId, channels.id), is(rules.state, 'open')))
    .leftJoin(rewards, and(eq(rewards.ruleId, rules.id), is(rewards.state, 'free')))
    .where(
      and(
        asked.search
          ? or(contains(channels.login, asked.search), contains(channels.displayName, asked.search))
          : undefined,
        asked.live === undefined ? undefined : eq(channels.live, asked.live),
        place ? later : undefined,
      ),
    )
    .groupBy(channels.id)
    .orderBy(asc(channels.login), asc(channels.id))
    .limit(size + 1);
  return pageOf(rows, size, (row) => [row.login, row.id]);
}
