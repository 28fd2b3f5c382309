import { and, asc, eq, or, type SQL, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { channels } from '#db/schema/channel.ts';
import { rewards } from '#db/schema/reward.ts';
import { type RuleType, rules } from '#db/schema/rule.ts';
import { beyond, contains } from '#db/search.ts';
import { decodeCursor, PAGE_SIZE, type Page, pageOf } from '#domain/kernel/page.ts';
import { type ChannelSummary, channelSummaryColumns } from './channel-summary.ts';

/** A channel with rewards that can be earned now. */
export interface ListedChannel extends ChannelSummary {
  gameName: string;
  title: string;
  lastSeenAtMs: number;
  openRules: number;
  freeRewards: number;
  /** The shortest and the longest claim timeout of its open rules. */
  minClaimHours: number;
  maxClaimHours: number;
}

const openHere = sql`${rules.channelId} = ${channels.id} and ${is(rules.state, 'open')}`;
/** Makes a subquery that returns one number for each channel of a page. */
const ofChannel = (what: SQL, from: SQL = sql`${rules}`): SQL<number> =>
  sql`(select ${what} from ${from} where ${openHere})`.mapWith(Number) as SQL<number>;
const freeOfRule = sql`${rewards.ruleId} = ${rules.id} and ${is(rewards.state, 'free')}`;
const offline = sql<number>`case when ${channels.live} then 0 else 1 end`.mapWith(Number);

/**
 * Selects channels with an open rule. It starts from open rules: ordered by login, PostgreSQL would scan past
 * channels too.
 */
const earnedOn = ({ read }: Database, ruleType?: RuleType) =>
  read
    .selectDistinct({ id: rules.channelId })
    .from(rules)
    .where(and(is(rules.state, 'open'), ruleType ? is(rules.type, ruleType) : undefined))
    .as('earned_on');

const isListed = sql`not ${channels.hidden}`;

/** Lists channels with an open rule that are not hidden: those online first, then by login. */
export async function listChannels(
  db: Database,
  asked: {
    search?: string | undefined;
    live?: boolean | undefined;
    /** Only channels with an open rule of this type. */
    ruleType?: RuleType | undefined;
    /** Only channels in this Twitch category. */
    game?: string | undefined;
    after?: string | null;
    size?: number;
  },
): Promise<Page<ListedChannel>> {
  const size = asked.size ?? PAGE_SIZE;
  const place = decodeCursor(asked.after, ['number', 'text', 'text']);
  const earned = earnedOn(db, asked.ruleType);
  const rows = await db.read
    .select({
      ...channelSummaryColumns,
      gameName: channels.gameName,
      title: channels.title,
      lastSeenAtMs: channels.lastSeenAtMs,
      openRules: ofChannel(sql`count(*)`).as('open_rules'),
      freeRewards: ofChannel(sql`count(*)`, sql`${rules} join ${rewards} on ${freeOfRule}`).as(
        'free_rewards',
      ),
      minClaimHours: ofChannel(sql`min(${rules.claimTimeoutHours})`).as('min_claim_hours'),
      maxClaimHours: ofChannel(sql`max(${rules.claimTimeoutHours})`).as('max_claim_hours'),
    })
    .from(earned)
    .innerJoin(channels, eq(channels.id, earned.id))
    .where(
      and(
        isListed,
        asked.search
          ? or(contains(channels.login, asked.search), contains(channels.displayName, asked.search))
          : undefined,
        asked.live === undefined ? undefined : sql`${asked.live ? sql`` : sql`not `}${channels.live}`,
        asked.game ? eq(channels.gameName, asked.game) : undefined,
        place ? beyond([offline, channels.login, channels.id], '>', place) : undefined,
      ),
    )
    .orderBy(asc(offline), asc(channels.login), asc(channels.id))
    .limit(size + 1);
  return pageOf(rows, size, (row) => [row.live ? 0 : 1, row.login, row.id]);
}

/** Lists the Twitch categories of listed channels, by name. */
export async function listGames(db: Database): Promise<string[]> {
  const earned = earnedOn(db);
  const rows = await db.read
    .selectDistinct({ name: channels.gameName })
    .from(earned)
    .innerJoin(channels, eq(channels.id, earned.id))
    .where(isListed)
    .orderBy(asc(channels.gameName));
  return rows.map(({ name }) => name).filter((name) => name !== '');
}
