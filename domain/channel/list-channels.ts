import { and, asc, eq, or, type SQL, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { channels } from '#db/schema/channel.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { beyond, contains } from '#db/search.ts';
import { decodeCursor, PAGE_SIZE, type Page, pageOf } from '#domain/page.ts';
import { type ChannelSummary, channelSummaryColumns } from './channel-summary.ts';

/** A channel with rewards that can be earned now. */
export interface ListedChannel extends ChannelSummary {
  gameName: string;
  title: string;
  lastSeenAtMs: number;
  openRules: number;
  freeRewards: number;
}

const openHere = sql`${rules.channelId} = ${channels.id} and ${is(rules.state, 'open')}`;
/** A separate count for each channel of a page. */
const countOf = (from: SQL): SQL<number> =>
  sql`(select count(*) from ${from} where ${openHere})`.mapWith(Number) as SQL<number>;
const freeOfRule = sql`${rewards.ruleId} = ${rules.id} and ${is(rewards.state, 'free')}`;

/** Lists channels with an open rule, by login. */
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
  // Starts from open rules: ordered by login, PostgreSQL would scan past channels too.
  const earnedOn = database.read
    .selectDistinct({ id: rules.channelId })
    .from(rules)
    .where(is(rules.state, 'open'))
    .as('earned_on');
  const rows = await database.read
    .select({
      ...channelSummaryColumns,
      gameName: channels.gameName,
      title: channels.title,
      lastSeenAtMs: channels.lastSeenAtMs,
      openRules: countOf(sql`${rules}`).as('open_rules'),
      freeRewards: countOf(sql`${rules} join ${rewards} on ${freeOfRule}`).as('free_rewards'),
    })
    .from(earnedOn)
    .innerJoin(channels, eq(channels.id, earnedOn.id))
    .where(
      and(
        asked.search
          ? or(contains(channels.login, asked.search), contains(channels.displayName, asked.search))
          : undefined,
        asked.live === undefined ? undefined : sql`${asked.live ? sql`` : sql`not `}${channels.live}`,
        place ? beyond([channels.login, channels.id], '>', place) : undefined,
      ),
    )
    .orderBy(asc(channels.login), asc(channels.id))
    .limit(size + 1);
  return pageOf(rows, size, (row) => [row.login, row.id]);
}
