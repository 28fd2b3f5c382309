import { and, count, eq, inArray, isNull, max, or, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is, isAmong, within } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { type ChatFault, channels } from '#db/schema/channel.ts';
import { liveRaffleStates, movingRaffleStates, raffles } from '#db/schema/raffle.ts';
import { liveRuleStates, rules } from '#db/schema/rule.ts';
import { type ConditionKey, conditions } from '#domain/condition/conditions.ts';
import { botScope } from '#domain/identity/twitch/twitch-scopes.ts';
import { endingInSql } from '#domain/rule/list-channel-changes.ts';

/** A channel the tracker reads. Triggers count each change to any of this (`listChannelChanges`). */
export interface WatchedChannel {
  id: string;
  login: string;
  live: boolean;
  streamId: string | null;
  /** End of its last stream; null while live. Domain time. */
  wentOfflineAtMs: number | null;
  /** The reason why Twitch takes no lines from the bot in its chat; null if it does. */
  chatFault: ChatFault | null;
  /** True if its broadcaster lets the application's bots read its chat by events. */
  allowsBot: boolean;
  /** True if it has an open rule, or a raffle that is prepared or runs: its chat is read. */
  hasOpenRule: boolean;
  /**
   * True if a rule is open or paused, or a raffle is not over, and the channel can be read; watch time goes on during a
   * pause.
   */
  countsWatching: boolean;
  /** True if it cannot be read although it would be counted. */
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
/** Restricts a column to rules that are not closed and those of raffles that are not over. */
const ofLive = (column: SQLWrapper) =>
  sql`case when ${within(rules.state, liveRuleStates)} or ${ofRaffle} then ${column} end`;

/** The conditions that the open rules have, as columns of a query that groups rules. */
const asked = Object.fromEntries(
  conditions.map(({ key, column }) => [key, sql`count(${ofOpen(rules[column])}) > 0`.mapWith(Boolean)]),
) as Record<ConditionKey, SQL<boolean>>;

/** Matches channels whose broadcaster's grant has a scope. */
const allows = (scope: string) =>
  sql`count(case when cast(${twitchAccounts.scopes} as text) like ${`%"${scope}"%`} then 1 end) > 0`.mapWith(
    Boolean,
  );

/**
 * Lists channels with a rule that is not closed or a raffle that is not over, and live channels whose last rule was closed:
 * all of them, or those whose ids have these endings.
 */
export async function listWatchedChannels(
  q: Reader,
  endings: readonly string[] | null = null,
): Promise<WatchedChannel[]> {
  const { id, login, live, streamId, wentOfflineAtMs, chatFault } = channels;
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
      wentOfflineAtMs,
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
    .where(and(inArray(channels.id, ids), endings ? isAmong(endingInSql(channels.id), endings) : undefined))
    .groupBy(channels.id)
    .orderBy(channels.id);
  return rows.map(({ openRules, rules: lasting, readableId, ...channel }) => ({
    ...channel,
    hasOpenRule: Number(openRules) > 0,
    countsWatching: Number(lasting) > 0 && readableId !== null,
    lacksPermission: Number(lasting) > 0 && readableId === null,
  }));
}
