import { and, asc, count, eq, gt, isNotNull, isNull, max, min, or, type SQL, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import type { ItemKind } from '#db/schema/asset.ts';
import { type ItemState, items } from '#db/schema/item.ts';
import { liveRewardStates, rewards } from '#db/schema/reward.ts';
import { contains, countOf } from '#db/search.ts';
import { available } from '#domain/item/available.ts';
import { kindColumns } from '#domain/item/kind-columns.ts';
import { decodeCursor, PAGE_SIZE, type Page, pageOf } from '#domain/page.ts';

/** What a streamer's items of one kind amount to. Every item is counted once: total is the sum of the rest. */
export interface CustodyAmounts {
  total: number;
  /** Held, unlocked, on no rule: can be assigned or returned. */
  available: number;
  /** Held and locked, on no rule; until when the first and the last of them are. */
  inCooldown: number;
  firstUnlockMs: number | null;
  lastUnlockMs: number | null;
  /** Held and on a rule. */
  assigned: number;
  /** In a trade offer that is under way. */
  moving: number;
  missing: number;
}

export interface CustodyKind extends CustodyAmounts, ItemKind {
  rarityColor: string;
}

export const custodyFilters = ['available', 'inCooldown', 'assigned', 'moving', 'missing'] as const;
export type CustodyFilter = (typeof custodyFilters)[number];

/** Items that count as being in custody: those that left for good or are with their receiver do not. */
const counted = ['held', 'outgoing', 'missing'] as const satisfies readonly ItemState[];

const held = is(items.state, 'held');
const partsAt = (nowMs: number): Record<CustodyFilter, SQL | undefined> => ({
  available: and(available(nowMs), isNull(rewards.id)),
  inCooldown: and(held, isNull(rewards.id), gt(items.lockedUntilMs, nowMs)),
  assigned: and(held, isNotNull(rewards.id)),
  moving: is(items.state, 'outgoing'),
  missing: is(items.state, 'missing'),
});

/** One live reward per item at most, so that this join multiplies nothing. */
const liveReward = and(eq(rewards.itemId, items.id), within(rewards.state, liveRewardStates));

function amountsAt(nowMs: number) {
  const parts = partsAt(nowMs);
  const unlock = sql`case when ${parts.inCooldown} then ${items.lockedUntilMs} end`;
  return {
    total: count().as('total'),
    available: countOf(parts.available).as('available'),
    inCooldown: countOf(parts.inCooldown).as('in_cooldown'),
    firstUnlockMs: min(unlock).mapWith(Number).as('first_unlock'),
    lastUnlockMs: max(unlock).mapWith(Number).as('last_unlock'),
    assigned: countOf(parts.assigned).as('assigned'),
    moving: countOf(parts.moving).as('moving'),
    missing: countOf(parts.missing).as('missing'),
  };
}

/** A streamer's items in custody by kind, in the order of their names. */
export async function listCustody(
  database: Database,
  asked: {
    ownerId: string;
    search?: string | undefined;
    /** Only items of this game. */
    appId?: number | undefined;
    /** Only kinds of which some are in this state. */
    filter?: CustodyFilter | undefined;
    after?: string | null;
    size?: number;
  },
  nowMs: number,
): Promise<Page<CustodyKind>> {
  const size = asked.size ?? PAGE_SIZE;
  const rows = await database.read
    .select({
      ...kindColumns(items),
      rarityColor: sql<string>`${max(items.rarityColor)}`.as('kind_rarity_color'),
      ...amountsAt(nowMs),
    })
    .from(items)
    .leftJoin(rewards, liveReward)
    .where(
      and(
        eq(items.ownerId, asked.ownerId),
        within(items.state, counted),
        asked.search ? contains(items.marketHashName, asked.search) : undefined,
        asked.appId === undefined ? undefined : eq(items.appId, asked.appId),
        afterKind(asked.after),
      ),
    )
    .groupBy(items.appId, items.marketHashName)
    .having(asked.filter ? gt(countOf(partsAt(nowMs)[asked.filter]), 0) : undefined)
    .orderBy(asc(items.marketHashName), asc(items.appId))
    .limit(size + 1);
  return pageOf(rows, size, (row) => [row.marketHashName, row.appId]);
}

function afterKind(cursor: string | null | undefined): SQL | undefined {
  const place = decodeCursor(cursor, ['text', 'number']);
  if (!place) return undefined;
  const [name, appId] = place;
  return or(gt(items.marketHashName, name), and(eq(items.marketHashName, name), gt(items.appId, appId)));
}

/** What all of a streamer's items in custody amount to, and on how many rules some of them are. */
export async function getCustodyTotals(
  database: Database,
  { ownerId }: { ownerId: string },
  nowMs: number,
): Promise<CustodyAmounts & { rules: number }> {
  const [row] = await database.read
    .select({
      ...amountsAt(nowMs),
      rules: sql<number>`count(distinct ${rewards.ruleId})`.mapWith(Number).as('rules'),
    })
    .from(items)
    .leftJoin(rewards, liveReward)
    .where(and(eq(items.ownerId, ownerId), within(items.state, counted)));
  if (!row) throw new Error('a count without groups has one row');
  return row as CustodyAmounts & { rules: number };
}
