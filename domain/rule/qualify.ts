import { createHmac } from 'node:crypto';
import {
  and,
  eq,
  exists,
  gte,
  inArray,
  isNotNull,
  isNull,
  lte,
  ne,
  notExists,
  or,
  type SQL,
  sql,
} from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { bigint, is, rowsOf } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { follows, subscribers, watchTimes } from '#db/schema/channel.ts';
import { qualifications, rules, watchBaselines } from '#db/schema/rule.ts';
import { users } from '#db/schema/user.ts';
import { day } from '#domain/clock.ts';
import { serveWaiting } from '#domain/reward/serve-waiting.ts';
import { countedSeconds } from '#domain/rule/counted-seconds.ts';

/**
 * Finds who meets an open rule for the first time among the registered viewers that `among` admits, writes them onto
 * the rule's waiting list and serves it. One set-based query decides for all rules of the scope. Returns the number of new qualifications.
 */
export async function qualify(
  tx: Tx,
  scope: { rules: SQL; among?: SQL | undefined },
  nowMs: number,
): Promise<number> {
  const found = await newlyQualified(tx, scope, nowMs);
  if (found.length === 0) return 0;
  const rows = found.map(({ ruleId, twitchId, seed }) => [ruleId, twitchId, nowMs, tieBreak(seed, twitchId)]);
  const columns = { rule_id: 'text', twitch_id: 'text', at: 'bigint', tie: 'text' } as const;
  await tx
    .insert(qualifications)
    .select(
      sql`select q.rule_id, q.twitch_id, q.at, q.tie, ${sql`cast(null as bigint)`} from ${rowsOf(rows, columns, 'q')} where true` as never,
    )
    .onConflictDoNothing();
  for (const ruleId of new Set(found.map((each) => each.ruleId))) await serveWaiting(tx, ruleId, nowMs);
  return found.length;
}

/** Decides between viewers who qualified at the same moment, by nothing that anyone could choose. */
export const tieBreak = (seed: string, twitchId: string): string =>
  createHmac('sha256', seed).update(twitchId).digest('hex');

function newlyQualified(tx: Tx, scope: { rules: SQL; among?: SQL | undefined }, nowMs: number) {
  return tx
    .select({ ruleId: rules.id, twitchId: twitchAccounts.twitchId, seed: rules.seed })
    .from(rules)
    .innerJoin(twitchAccounts, ne(twitchAccounts.twitchId, rules.channelId))
    .innerJoin(
      users,
      and(
        eq(users.id, twitchAccounts.userId),
        isNotNull(users.emailVerifiedAtMs),
        ne(users.id, rules.ownerId),
      ),
    )
    .leftJoin(
      watchTimes,
      and(eq(watchTimes.channelId, rules.channelId), eq(watchTimes.twitchId, twitchAccounts.twitchId)),
    )
    .leftJoin(
      watchBaselines,
      and(eq(watchBaselines.ruleId, rules.id), eq(watchBaselines.twitchId, twitchAccounts.twitchId)),
    )
    .where(
      and(
        is(rules.state, 'open'),
        scope.rules,
        scope.among,
        // Who is to be asked for channel points qualifies by redeeming, not by being found.
        isNull(rules.pointsCost),
        standingConditionsHold(tx, nowMs),
        notExists(
          tx
            .select({ one: sql`1` })
            .from(qualifications)
            .where(
              and(eq(qualifications.ruleId, rules.id), eq(qualifications.twitchId, twitchAccounts.twitchId)),
            ),
        ),
      ),
    );
}

/**
 * Whether the conditions that are read of a viewer (all but channel points) hold now, in a query over rules and Twitch
 * accounts that joins watch times and baselines.
 */
export const standingConditionsHold = (tx: Tx, nowMs: number) =>
  and(
    or(isNull(rules.watchMinutes), gte(countedSeconds, sql`${rules.watchMinutes} * 60`)),
    or(isNull(rules.followDays), followsLongEnough(tx, nowMs)),
    or(isNull(rules.subscriberTier), subscribesHighEnough(tx)),
  );

const subscribesHighEnough = (tx: Tx) =>
  exists(
    tx
      .select({ one: sql`1` })
      .from(subscribers)
      .where(
        and(
          eq(subscribers.channelId, rules.channelId),
          eq(subscribers.twitchId, twitchAccounts.twitchId),
          gte(subscribers.tier, rules.subscriberTier),
        ),
      ),
  );

const followsLongEnough = (tx: Tx, nowMs: number) =>
  exists(
    tx
      .select({ one: sql`1` })
      .from(follows)
      .where(
        and(
          eq(follows.channelId, rules.channelId),
          eq(follows.twitchId, twitchAccounts.twitchId),
          lte(follows.followedAtMs, sql`${bigint(nowMs)} - ${rules.followDays} * ${bigint(day)}`),
        ),
      ),
  );

/** The viewers of a channel whose watch time passed a threshold since they were looked at last. */
export const dueViewers = (tx: Tx, channelId: string) =>
  inArray(
    twitchAccounts.twitchId,
    tx
      .select({ twitchId: watchTimes.twitchId })
      .from(watchTimes)
      .where(
        and(eq(watchTimes.channelId, channelId), sql`${watchTimes.seconds} >= ${watchTimes.lookAtSeconds}`),
      ),
  );
