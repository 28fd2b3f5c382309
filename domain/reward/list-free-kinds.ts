import { and, asc, eq, inArray, lte, or, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import type { ItemFacts } from '#db/schema/asset.ts';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { liveRuleStates, rules } from '#db/schema/rule.ts';
import { type Conditions, conditionColumns } from '#domain/condition/conditions.ts';
import { countsFromMs } from '#domain/condition/counts-from.ts';
import { shownNameOf } from '#domain/item/market-name.ts';

/** A kind of item that is free on a rule. */
export type FreeKind = Pick<
  ItemFacts,
  'marketHashName' | 'name' | 'exterior' | 'iconUrl' | 'typeTag' | 'rarityTag' | 'amount'
> & {
  appId: number;
  ruleId: string;
  channelId: string;
  /** True if the owner of its rule has paused it. */
  isPaused: boolean;
  /** The conditions of its rule, and from when they count; null if there is no one time. */
  asks: Conditions & { countsFromMs: number | null };
};

/** Number of rewards of each rule among which different kinds are searched for. */
export const FREE_PER_RULE = 12;

/**
 * Lists different kinds among the next free rewards of these channels' rules that are open or paused by their owner, for
 * their pictures.
 */
export async function listFreeKinds({ read }: Database, channelIds: readonly string[]): Promise<FreeKind[]> {
  if (channelIds.length === 0) return [];
  const next = read
    .select({
      ruleId: rewards.ruleId,
      itemId: rewards.itemId,
      channelId: rules.channelId,
      place: sql<number>`row_number() over (partition by ${rewards.ruleId} order by ${rewards.position})`.as(
        'place',
      ),
    })
    .from(rules)
    .innerJoin(rewards, and(eq(rewards.ruleId, rules.id), is(rewards.state, 'free')))
    .where(
      and(
        inArray(rules.channelId, [...channelIds]),
        within(rules.state, liveRuleStates),
        or(is(rules.state, 'open'), is(rules.pauseReason, 'owner')),
      ),
    )
    .as('next_free');
  const rows = await read
    .select({
      ruleId: next.ruleId,
      channelId: next.channelId,
      appId: items.appId,
      marketHashName: items.marketHashName,
      amount: items.amount,
      name: items.name,
      exterior: items.exterior,
      iconUrl: items.iconUrl,
      typeTag: items.typeTag,
      rarityTag: items.rarityTag,
      isPaused: sql<boolean>`${is(rules.state, 'paused')}`.mapWith(Boolean),
      asks: { ...conditionColumns, countsFromMs: countsFromMs(read) },
    })
    .from(next)
    .innerJoin(items, eq(items.id, next.itemId))
    .innerJoin(rules, eq(rules.id, next.ruleId))
    .where(lte(next.place, FREE_PER_RULE))
    .orderBy(asc(next.place), asc(next.ruleId));
  const seen = new Set<string>();
  return rows.filter((row) => {
    const key = `${row.ruleId} ${shownNameOf(row)}`;
    return !seen.has(key) && seen.add(key);
  });
}
