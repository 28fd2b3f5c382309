import { and, asc, desc, eq, isNotNull, max, type SQL, type SQLWrapper, sql, sum } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { bigint, is, within } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import type { ItemKind } from '#db/schema/asset.ts';
import { draws, kindWeights } from '#db/schema/draw.ts';
import { items } from '#db/schema/item.ts';
import { redemptions } from '#db/schema/redemption.ts';
import { endedRewards, liveRewardStates, type RewardState, rewards } from '#db/schema/reward.ts';
import {
  liveTransferStates,
  preparingTransferStates,
  type TransferState,
  transfers,
} from '#db/schema/transfer.ts';
import { beyond } from '#db/search.ts';
import { isOfKind } from '#domain/draw/kind-weight.ts';
import { kindColumns } from '#domain/item/kind-columns.ts';
import { kindNameIn, traitsIn } from '#domain/item/kind-name.ts';
import { decodeCursor, PAGE_SIZE, type Page, pageOf } from '#domain/kernel/page.ts';
import type { OwnedRule } from '#domain/rule/find-rule.ts';
import type { PoolAmounts } from '#domain/rule/list-rules.ts';

export interface RewardKind extends PoolAmounts, ItemKind {
  /** The kind's draw weight relative to the others. */
  weight: number;
  /** The number of reserved ones that have no offer on Steam yet. */
  preparing: number;
}

/** The amounts that are counted of each kind. */
type Amounts = PoolAmounts & Pick<RewardKind, 'preparing'>;
const amounts = ['free', 'promised', 'reserved', 'preparing', 'claimed', 'recalled'] as const;

/**
 * The transfer of a reserved reward without an offer on Steam; there is at most one. It is looked up for
 * reserved rewards alone.
 */
const isPreparing = sql`${is(rewards.state, 'reserved')} and (select 1 from ${transfers} where ${and(
  eq(transfers.rewardId, rewards.id),
  within(transfers.state, preparingTransferStates),
)}) = 1`;

/** Columns of a query that count its rows under these amounts and no other. */
const counting = (counted: Partial<Record<keyof Amounts, SQLWrapper>>) =>
  Object.fromEntries(
    amounts.map((amount) => [amount, sql<number>`${counted[amount] ?? bigint(0)}`.as(amount)]),
  ) as Record<keyof Amounts, SQL.Aliased<number>>;

const oneIf = (condition: SQL): SQL => sql`case when ${condition} then ${bigint(1)} else ${bigint(0)} end`;

/**
 * Lists a rule's rewards by kind and state. Ended rewards are not
 * read; they were counted as they ended.
 */
export async function listRuleRewards({ read }: Database, { id: ruleId }: OwnedRule): Promise<RewardKind[]> {
  const live = read
    .select({
      itemId: rewards.itemId,
      kindName: kindNameIn(items).as('kind_name'),
      ...counting({
        free: oneIf(is(rewards.state, 'free')),
        promised: oneIf(is(rewards.state, 'promised')),
        reserved: oneIf(is(rewards.state, 'reserved')),
        preparing: oneIf(isPreparing),
      }),
    })
    .from(rewards)
    .innerJoin(items, eq(items.id, rewards.itemId))
    .where(and(eq(rewards.ruleId, ruleId), within(rewards.state, liveRewardStates)));
  const ended = read
    .select({
      itemId: endedRewards.itemId,
      kindName: endedRewards.kindName,
      ...counting({ claimed: endedRewards.claimed, recalled: endedRewards.recalled }),
    })
    .from(endedRewards)
    .where(eq(endedRewards.ruleId, ruleId));
  const all = live.unionAll(ended).as('all_rewards');
  const total = Object.fromEntries(
    amounts.map((amount) => [amount, sum(all[amount]).mapWith(Number).as(`total_${amount}`)]),
  ) as Record<keyof Amounts, SQL.Aliased<number>>;
  return read
    .select({
      ...kindColumns(items),
      traits: traitsIn(all.kindName, items.marketHashName),
      weight: sql`coalesce(${max(kindWeights.weight)}, 1)`.mapWith(Number).as('kind_weight'),
      ...total,
    })
    .from(all)
    .innerJoin(items, eq(items.id, all.itemId))
    .leftJoin(kindWeights, isOfKind(ruleId, { appId: items.appId, kindName: all.kindName }))
    .groupBy(items.appId, items.marketHashName, all.kindName)
    .orderBy(asc(items.marketHashName), asc(items.appId), asc(all.kindName));
}

/** One promise of a rule and its outcome. */
export interface RulePromise {
  id: string;
  state: RewardState;
  viewerName: string | null;
  itemName: string;
  iconUrl: string;
  typeTag: string;
  rarityTag: string;
  promisedAtMs: number;
  claimUntilMs: number;
  claimedAtMs: number | null;
  /** The transfer that delivers or has delivered it; null while there is none. */
  transferState: TransferState | null;
  transferId: string | null;
  recallReason: string | null;
  /** True if the points spent on it were refunded. */
  pointsBack: boolean;
  /** The draw that chose this reward; null if it was not drawn. */
  drawNumber: number | null;
}

/** A reward has at most one transfer in any of these states. */
const deliveringStates = [...liveTransferStates, 'accepted', 'settled'] as const;

/** Lists a rule's promises, newest first. */
export async function listRulePromises(
  db: Database,
  { id: ruleId }: OwnedRule,
  { after, size = PAGE_SIZE }: { after?: string | null; size?: number } = {},
): Promise<Page<RulePromise>> {
  const promisedAtMs = sql<number>`coalesce(${rewards.promisedAtMs}, 0)`.mapWith(Number);
  const rows = await db.read
    .select({
      id: rewards.id,
      state: rewards.state,
      viewerName: twitchAccounts.displayName,
      itemName: items.name,
      iconUrl: items.iconUrl,
      typeTag: items.typeTag,
      rarityTag: items.rarityTag,
      promisedAtMs,
      claimUntilMs: sql<number>`coalesce(${rewards.claimUntilMs}, 0)`.mapWith(Number),
      claimedAtMs: rewards.claimedAtMs,
      transferState: transfers.state,
      transferId: transfers.id,
      recallReason: rewards.recallReason,
      pointsBack: sql`${redemptions.id} is not null`.mapWith(Boolean),
      drawNumber: draws.number,
    })
    .from(rewards)
    .innerJoin(items, eq(items.id, rewards.itemId))
    .leftJoin(draws, eq(draws.rewardId, rewards.id))
    .leftJoin(redemptions, and(eq(redemptions.rewardId, rewards.id), is(redemptions.state, 'refunded')))
    .leftJoin(twitchAccounts, eq(twitchAccounts.twitchId, rewards.twitchId))
    .leftJoin(transfers, and(eq(transfers.rewardId, rewards.id), within(transfers.state, deliveringStates)))
    .where(and(eq(rewards.ruleId, ruleId), isNotNull(rewards.twitchId), beforePlace(after)))
    .orderBy(desc(rewards.promisedAtMs), desc(rewards.id))
    .limit(size + 1);
  return pageOf(rows, size, (row) => [row.promisedAtMs, row.id]);
}

function beforePlace(cursor: string | null | undefined): SQL | undefined {
  const place = decodeCursor(cursor, ['number', 'text']);
  return place ? beyond([rewards.promisedAtMs, rewards.id], '<', place) : undefined;
}
