import { and, count, eq, gte, isNotNull } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import { rewards } from '#db/schema/reward.ts';
import { liveRuleStates, rules } from '#db/schema/rule.ts';
import { deliveredTransferStates, liveTransferStates, transfers } from '#db/schema/transfer.ts';
import { firstIdAt } from '#domain/kernel/id.ts';
import type { UsageMonth } from './usage-month.ts';

/** Counts a streamer's rules that are not closed. */
export async function countRules(q: Reader, userId: string): Promise<number> {
  const [row] = await q
    .select({ n: count() })
    .from(rules)
    .where(and(eq(rules.ownerId, userId), within(rules.state, liveRuleStates)));
  return Number(row?.n ?? 0);
}

/** Counts the rewards that a streamer attached to rules in a month; those that replace a recalled one do not count. */
export async function countAttachedRewards(
  q: Reader,
  userId: string,
  { startsAtMs }: UsageMonth,
): Promise<number> {
  const [row] = await q
    .select({ n: count() })
    .from(rewards)
    .where(
      and(
        eq(rewards.ownerId, userId),
        // The index is partial: SQLite uses it only where the query repeats its predicate.
        isNotNull(rewards.attachedAtMs),
        gte(rewards.attachedAtMs, startsAtMs),
      ),
    );
  return Number(row?.n ?? 0);
}

/** Counts a viewer's claims of a month. A claim that ended undelivered does not count. */
export async function countClaims(q: Reader, userId: string, { startsAtMs }: UsageMonth): Promise<number> {
  const [row] = await q
    .select({ n: count() })
    .from(transfers)
    .where(
      and(
        eq(transfers.userId, userId),
        gte(transfers.id, firstIdAt(startsAtMs)),
        is(transfers.kind, 'claim'),
        within(transfers.state, [...liveTransferStates, ...deliveredTransferStates]),
      ),
    );
  return Number(row?.n ?? 0);
}
