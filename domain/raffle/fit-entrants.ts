import { and, eq, gte, isNotNull, or, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { bigint, isAmong, listOf } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { excludedLogins } from '#db/schema/channel.ts';
import { raffles } from '#db/schema/raffle.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { statement } from '#db/statement.ts';
import type { StoredValue } from '#domain/condition/condition.ts';
import {
  exactConditions,
  joinStored,
  requiredColumns,
  storedConditions,
  storedConditionsMet,
} from '#domain/condition/conditions.ts';
import { hasNoConditions } from '#domain/condition/no-conditions.ts';
import { day } from '#domain/kernel/time.ts';

interface Asking {
  ruleId: string;
  channelId: string;
  ownerId: string;
  winnersOutDays: number;
}

const readExcluded = statement('excluded_entrants', (q) =>
  q
    .select({ twitchId: excludedLogins.twitchId })
    .from(excludedLogins)
    .where(
      and(eq(excludedLogins.channelId, sql.placeholder('channelId')), isNotNull(excludedLogins.twitchId)),
    ),
);

const readOwn = statement('owner_among_entrants', (q) =>
  q
    .select({ twitchId: twitchAccounts.twitchId })
    .from(twitchAccounts)
    .where(
      and(
        eq(twitchAccounts.userId, sql.placeholder('ownerId')),
        isAmong(twitchAccounts.twitchId, sql.placeholder('twitchIds')),
      ),
    ),
);

const readRule = statement('rule_of_raffle', (q) =>
  q
    .select()
    .from(rules)
    .where(eq(rules.id, sql.placeholder('ruleId'))),
);

/**
 * Returns those of these Twitch ids that may take part in a raffle now: not its channel, its owner or whom the streamer
 * excludes, no recent winner, and everything that it asks for is met. Whether they were taken down in time, and whether
 * they are bots or moderators, is decided before.
 */
export async function fitEntrants(
  q: Reader,
  asking: Asking,
  twitchIds: readonly string[],
  nowMs: number,
): Promise<Set<string>> {
  if (twitchIds.length === 0) return new Set();
  const unfit = new Set([asking.channelId]);
  for (const id of await barred(q, asking, twitchIds)) unfit.add(id);
  if (asking.winnersOutDays > 0)
    for (const id of await recentWinners(q, asking, twitchIds, nowMs - asking.winnersOutDays * day))
      unfit.add(id);
  const meeting = await meetConditions(q, asking, twitchIds, nowMs);
  return new Set(meeting.filter((id) => !unfit.has(id)));
}

async function barred(q: Reader, { channelId, ownerId }: Asking, twitchIds: readonly string[]) {
  const excluded = await readExcluded(q, { channelId });
  const own = await readOwn(q, { ownerId, twitchIds: JSON.stringify(twitchIds) });
  return [...excluded, ...own].flatMap(({ twitchId }) => twitchId ?? []);
}

/**
 * Finds who was promised a reward of the channel's raffles since then, also with another Twitch account of the same
 * person, as far as one account here had both.
 */
async function recentWinners(
  q: Reader,
  { channelId }: Asking,
  twitchIds: readonly string[],
  sinceMs: number,
): Promise<string[]> {
  const people = await q
    .select({ twitchId: twitchAccounts.twitchId, userId: twitchAccounts.userId })
    .from(twitchAccounts)
    .where(isAmong(twitchAccounts.twitchId, twitchIds));
  const won = await q
    .select({ twitchId: rewards.twitchId, userId: rewards.userId })
    .from(rewards)
    .innerJoin(raffles, eq(raffles.ruleId, rewards.ruleId))
    .where(
      and(
        eq(rewards.channelId, channelId),
        isNotNull(rewards.twitchId),
        gte(rewards.promisedAtMs, sinceMs),
        or(
          isAmong(rewards.twitchId, twitchIds),
          isAmong(
            rewards.userId,
            people.map(({ userId }) => userId),
          ),
        ),
      ),
    );
  const winners = new Set(won.map(({ userId }) => userId));
  const theirs = people.filter(({ userId }) => winners.has(userId));
  return [...won, ...theirs].flatMap(({ twitchId }) => twitchId ?? []);
}

async function meetConditions(
  q: Reader,
  { ruleId, channelId }: Asking,
  twitchIds: readonly string[],
  nowMs: number,
): Promise<readonly string[]> {
  const [rule] = await readRule(q, { ruleId });
  if (!rule) return [];
  // Nothing about these viewers decides, and most raffles are for everybody.
  if (hasNoConditions(rule, requiredColumns)) return twitchIds;
  const entrant = sql`entrants.value`;
  const query = q
    .select({ twitchId: sql<string>`${entrant}`.as('entrant_id') })
    .from(rules)
    .crossJoin(listOf(twitchIds, 'entrants') as never);
  const met = and(eq(rules.id, ruleId), storedConditionsMet(bigint(nowMs)));
  const rows = await joinStored(query, storedConditions, channelId, entrant).where(met);
  // The value plays no part in these checks.
  let meeting: readonly StoredValue[] = rows.map(({ twitchId }) => ({ twitchId, value: 0 }));
  for (const { exact } of exactConditions) meeting = await exact.filter(q, rule, meeting);
  return meeting.map(({ twitchId }) => twitchId);
}
