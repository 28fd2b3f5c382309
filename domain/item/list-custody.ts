import {
  and,
  asc,
  count,
  eq,
  gt,
  isNotNull,
  isNull,
  max,
  min,
  type Placeholder,
  type SQL,
  sql,
} from 'drizzle-orm';
import type { Database, Reader } from '#db/database.ts';
import { is, isAmong, numberAt, within } from '#db/dialect.ts';
import type { ItemKind } from '#db/schema/asset.ts';
import { countedInCustody, items } from '#db/schema/item.ts';
import { liveRewardStates, rewards } from '#db/schema/reward.ts';
import { beyond, contains, countOf } from '#db/search.ts';
import { statement } from '#db/statement.ts';
import { available } from '#domain/item/available.ts';
import { decodeCursor, PAGE_SIZE, type Page, pageOf } from '#domain/kernel/page.ts';

/** More kinds than anyone has, so that a page of this size holds all of them. */
export const ALL_KINDS = 10_000;

/** Counts of a streamer's items of one kind. Each item counts once: `total` is the sum of the others. */
export interface CustodyAmounts {
  total: number;
  /** Held, unlocked, on no rule: can be assigned or returned. */
  available: number;
  /** Held and locked, on no rule. The next two fields say when the first and the last of them unlock. */
  inCooldown: number;
  firstUnlockMs: number | null;
  lastUnlockMs: number | null;
  /** Held and on a rule. */
  assigned: number;
  /** In a trade offer in progress. */
  moving: number;
  missing: number;
}

export interface CustodyKind extends CustodyAmounts, ItemKind {
  rarityColor: string;
}

export const custodyFilters = ['available', 'inCooldown', 'assigned', 'moving', 'missing'] as const;
export type CustodyFilter = (typeof custodyFilters)[number];

/** Most pieces first, or the rarest first; both then by name. */
export const custodyOrders = ['amount', 'rarity'] as const;
type CustodyOrder = (typeof custodyOrders)[number];

const held = is(items.state, 'held');
const partsAt = (nowMs: number | SQL): Record<CustodyFilter, SQL | undefined> => ({
  available: and(available(nowMs), isNull(rewards.itemId)),
  inCooldown: and(held, isNull(rewards.itemId), gt(items.lockedUntilMs, nowMs)),
  assigned: and(held, isNotNull(rewards.itemId)),
  moving: is(items.state, 'outgoing'),
  missing: is(items.state, 'missing'),
});

/** An item has at most one live reward, so this join never duplicates rows. */
const liveReward = and(eq(rewards.itemId, items.id), within(rewards.state, liveRewardStates));

function amountsAt(nowMs: number | SQL) {
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

/** Filters of the list. */
interface Asked {
  search?: string | undefined;
  /** Only items of this game. */
  appId?: number | undefined;
  /** Only kinds with at least one item in this state. */
  filter?: CustodyFilter | undefined;
  /** Without an order, the list is by name alone. */
  order?: CustodyOrder | undefined;
  after?: string | null;
}

type Bounds = { ownerId: string | Placeholder; nowMs: number | SQL; limit: number | Placeholder };

/**
 * Steam's levels of rarity in ascending order. Its tags are `Rarity_<level>`, with a suffix for some items.
 */
const rarityLevels = ['Common', 'Uncommon', 'Rare', 'Mythical', 'Legendary', 'Ancient', 'Contraband'];
const rarityRank = sql`case ${sql.join(
  rarityLevels.map((level, rank) => sql.raw(`when rarity_tag like 'Rarity_${level}%' then ${rank}`)),
  sql` `,
)} else 0 end`;

/** The values that an order compares before the name, in ascending order. */
const places = { amount: sql`-count(*)`, rarity: sql`-max(${rarityRank})` };
const kindColumns = [items.marketHashName, items.appId, items.traits] as const;

const selectKinds = (q: Reader, { ownerId, nowMs, limit }: Bounds, asked: Asked = {}) =>
  q
    .select({
      appId: items.appId,
      marketHashName: items.marketHashName,
      traits: items.traits,
      ...amountsAt(nowMs),
      newestId: max(items.id).as('newest_id'),
      place: (asked.order ? places[asked.order] : sql`0`).mapWith(Number).as('place'),
    })
    .from(items)
    .leftJoin(rewards, liveReward)
    .where(
      and(
        eq(items.ownerId, ownerId),
        within(items.state, countedInCustody),
        asked.search ? contains(items.marketHashName, asked.search) : undefined,
        asked.appId === undefined ? undefined : eq(items.appId, asked.appId),
        asked.order ? undefined : afterKind(asked.after),
      ),
    )
    .groupBy(...kindColumns)
    .having(
      and(
        asked.filter ? gt(countOf(partsAt(nowMs)[asked.filter]), 0) : undefined,
        asked.order ? afterPlace(asked.order, asked.after) : undefined,
      ),
    )
    .orderBy(...(asked.order ? [asc(places[asked.order])] : []), ...kindColumns.map((column) => asc(column)))
    .limit(limit);

const readFirstKinds = statement('first_custody_kinds', (q) =>
  selectKinds(q, {
    ownerId: sql.placeholder('ownerId'),
    nowMs: numberAt('nowMs'),
    limit: sql.placeholder('limit'),
  }),
);

/** Lists a streamer's items in custody by kind, in the order asked for. */
export async function listCustody(
  db: Database,
  { ownerId, size = PAGE_SIZE, ...asked }: Asked & { ownerId: string; size?: number },
  nowMs: number,
): Promise<Page<CustodyKind>> {
  const bounds = { ownerId, nowMs, limit: size + 1 };
  // Most requests are for the first page without filters, which has a prepared statement.
  const isFirst = !(asked.search || asked.filter || asked.order || asked.after) && asked.appId === undefined;
  const counted = await (isFirst ? readFirstKinds(db.read, bounds) : selectKinds(db.read, bounds, asked));
  const page = pageOf(counted, size, (row) => [
    ...(asked.order ? [row.place] : []),
    row.marketHashName,
    row.appId,
    row.traits,
  ]);
  const facts = await factsOf(
    db,
    page.rows.flatMap(({ newestId }) => newestId ?? []),
  );
  return {
    next: page.next,
    rows: page.rows.flatMap((kind) => {
      const shown = facts.get(kind.newestId ?? '');
      return shown ? [kindOf(kind, shown)] : [];
    }),
  };
}

type Counted = Awaited<ReturnType<typeof readFirstKinds>>[number];
type Facts = Awaited<ReturnType<typeof readFacts>>[number];

/**
 * Names each field, because copying an object without some of its fields is slow and every row of the page
 * needs it.
 */
const kindOf = (kind: Counted, shown: Facts): CustodyKind => ({
  appId: kind.appId,
  marketHashName: kind.marketHashName,
  traits: kind.traits,
  // Several pieces differ in wear, so no wear is shown.
  wear: kind.total === 1 ? shown.wear : '',
  total: kind.total,
  available: kind.available,
  inCooldown: kind.inCooldown,
  firstUnlockMs: kind.firstUnlockMs,
  lastUnlockMs: kind.lastUnlockMs,
  assigned: kind.assigned,
  moving: kind.moving,
  missing: kind.missing,
  name: shown.name,
  iconUrl: shown.iconUrl,
  typeLine: shown.typeLine,
  typeTag: shown.typeTag,
  rarityTag: shown.rarityTag,
  rarityColor: shown.rarityColor,
  exterior: shown.exterior,
  traitIcons: shown.traitIcons,
  amount: shown.amount,
});

const readFacts = statement('custody_facts', (q) =>
  q
    .select({
      id: items.id,
      name: items.name,
      iconUrl: items.iconUrl,
      typeLine: items.typeLine,
      typeTag: items.typeTag,
      rarityTag: items.rarityTag,
      rarityColor: items.rarityColor,
      exterior: items.exterior,
      traitIcons: items.traitIcons,
      wear: items.wear,
      amount: items.amount,
    })
    .from(items)
    .where(isAmong(items.id, sql.placeholder('ids'))),
);

/**
 * Reads descriptions of items: a kind is described by its newest one, since pictures within a kind may differ. Separate
 * from the counts so that counting uses only an index.
 */
export async function factsOf(db: Database, itemIds: readonly string[]) {
  if (itemIds.length === 0) return new Map<string, never>();
  const rows = await readFacts(db.read, { ids: JSON.stringify(itemIds) });
  return new Map(rows.map((facts) => [facts.id, facts]));
}

function afterKind(cursor: string | null | undefined): SQL | undefined {
  const place = decodeCursor(cursor, ['text', 'number', 'text']);
  return place ? beyond(kindColumns, '>', place) : undefined;
}

function afterPlace(order: CustodyOrder, cursor: string | null | undefined): SQL | undefined {
  const place = decodeCursor(cursor, ['number', 'text', 'number', 'text']);
  return place ? beyond([places[order], ...kindColumns], '>', place) : undefined;
}

const readTotals = statement('custody_totals', (q) =>
  q
    .select({
      ...amountsAt(numberAt('nowMs')),
      rules: sql<number>`count(distinct ${rewards.ruleId})`.mapWith(Number).as('rules'),
    })
    .from(items)
    .leftJoin(rewards, liveReward)
    .where(and(eq(items.ownerId, sql.placeholder('ownerId')), within(items.state, countedInCustody))),
);

/** Returns totals over all of a streamer's items in custody and the number of rules that use them. */
export async function getCustodyTotals(
  db: Database,
  { ownerId }: { ownerId: string },
  nowMs: number,
): Promise<CustodyAmounts & { rules: number }> {
  const [row] = await readTotals(db.read, { ownerId, nowMs });
  if (!row) throw new Error('a count without groups has one row');
  return row as CustodyAmounts & { rules: number };
}
