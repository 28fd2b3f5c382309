import { and, count, eq, inArray, isNull, max, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { type ChatFault, channels } from '#db/schema/channel.ts';
import { liveRaffleStates, movingRaffleStates, raffles } from '#db/schema/raffle.ts';
import { liveRuleStates, rules } from '#db/schema/rule.ts';
import type { Shortfall } from '#domain/channel/absence.ts';
import type { Unread } from '#domain/channel/record-reading.ts';
import { type ConditionKey, conditions } from '#domain/condition/conditions.ts';
import { botScope } from '#domain/identity/twitch/twitch-scopes.ts';

/** A channel the tracker reads. */
export interface WatchedChannel {
  id: string;
  login: string;
  live: boolean;
  streamId: string | null;
  /** The end of the last interval that was read. Domain time. */
  watchedUntilMs: number | null;
  /** Number of people whom its chat's list lacked when last read. Domain time. */
  shortfall: Shortfall | null;
  /** The reason why its chat could not be read last, and since when. Domain time. */
  unread: Unread | null;
  /** End of its last stream; null while live. Domain time. */
  wentOfflineAtMs: number | null;
  /** Time at which its last complete list of followers was read, and how many it had. Domain time. */
  followsReadAtMs: number | null;
  followsListed: number | null;
  /** The reason why Twitch takes no lines from the bot in its chat; null if it does. */
  chatFault: ChatFault | null;
  /** True if its broadcaster lets the application's bots read its chat by events. */
  allowsBot: boolean;
  /** True if it has an open rule, or a raffle that is prepared or runs: its chat is read. */
  hasOpenRule: boolean;
  /** True if a rule is open or paused and the channel can be read; watch time goes on during a pause. */
  countsWatching: boolean;
  /** True if it cannot be read although a rule is open or paused. */
  lacksPermission: boolean;
  /** The conditions that its open rules have. */
  needs: Record<ConditionKey, boolean>;
}

/** The states in which a raffle asks for facts about viewers, as two lists because each has an index. */
const askingStates = [liveRaffleStates, movingRaffleStates];
const ofRaffle = or(
  ...askingStates.map(
    (states) =>
      sql`${rules.id} in (select ${raffles.ruleId} from ${raffles} where ${within(raffles.state, states)})`,
  ),
);

/** Restricts a column to open rules and those of raffles that are not over. */
const ofOpen = (column: SQLWrapper) =>
  sql`case when ${is(rules.state, 'open')} or ${ofRaffle} then ${column} end`;
const ofLive = (column: SQLWrapper) =>
  sql`case when ${within(rules.state, liveRuleStates)} then ${column} end`;

/** The conditions that the open rules have, as columns of a query that groups rules. */
const asked = Object.fromEntries(
  conditions.map(({ key, column }) => [key, sql`count(${ofOpen(rules[column])}) > 0`.mapWith(Boolean)]),
) as Record<ConditionKey, SQL<boolean>>;

/** Matches channels whose broadcaster's grant has a scope. */
const allows = (scope: string) =>
  sql`count(case when cast(${twitchAccounts.scopes} as text) like ${`%"${scope}"%`} then 1 end) > 0`.mapWith(
    Boolean,
  );

/** Lists channels with a rule that is not closed or a raffle that is not over, and live channels whose last rule was closed. */
export async function listWatchedChannels(q: Reader): Promise<WatchedChannel[]> {
  const { id, login, live, streamId, watchedUntilMs, wentOfflineAtMs } = channels;
  const { chattersShort, chattersShortSinceMs, unreadReason, unreadSinceMs } = channels;
  const { followsReadAtMs, followsListed, chatFault } = channels;
  // Starts from current rules: a scan of all past channels would grow with their number.
  const ids = q
    .select({ id: rules.channelId })
    .from(rules)
    .where(within(rules.state, liveRuleStates))
    .unionAll(
      q.select({ id: raffles.channelId }).from(raffles).where(within(raffles.state, liveRaffleStates)),
    )
    .unionAll(
      q.select({ id: raffles.channelId }).from(raffles).where(within(raffles.state, movingRaffleStates)),
    )
    .unionAll(q.select({ id: channels.id }).from(channels).where(eq(channels.live, true)));
  const rows = await q
    .select({
      id,
      login,
      live,
      streamId,
      watchedUntilMs,
      wentOfflineAtMs,
      chattersShort,
      chattersShortSinceMs,
      unreadReason,
      unreadSinceMs,
      followsReadAtMs,
      followsListed,
      chatFault,
      openRules: count(ofOpen(rules.id)),
      rules: count(ofLive(rules.id)),
      readableId: max(twitchAccounts.twitchId),
      allowsBot: allows(botScope),
      needs: asked,
    })
    .from(channels)
    .leftJoin(rules, and(eq(rules.channelId, channels.id), or(within(rules.state, liveRuleStates), ofRaffle)))
    .leftJoin(
      twitchAccounts,
      and(
        eq(twitchAccounts.twitchId, channels.id),
        is(twitchAccounts.state, 'connected'),
        isNull(twitchAccounts.missingSinceMs),
      ),
    )
    .where(inArray(channels.id, ids))
    .groupBy(channels.id)
    .orderBy(channels.id);
  return rows.map((row) => {
    const { chattersShort: short, chattersShortSinceMs: shortMs, unreadReason: reason, ...others } = row;
    const { unreadSinceMs: unreadMs, openRules, rules: lasting, readableId, ...channel } = others;
    return {
      ...channel,
      shortfall: short === null || shortMs === null ? null : { short, sinceMs: shortMs },
      unread: reason === null || unreadMs === null ? null : { reason, sinceMs: unreadMs },
      hasOpenRule: Number(openRules) > 0,
      countsWatching: Number(lasting) > 0 && readableId !== null,
      lacksPermission: Number(lasting) > 0 && readableId === null,
    };
  });
}
