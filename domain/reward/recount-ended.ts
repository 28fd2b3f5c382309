import { and, asc, count, eq, gt, inArray, max, sql } from 'drizzle-orm';
import type { Database, Reader, Tx } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import { items } from '#db/schema/item.ts';
import { endedRewardStates, endedRewards, rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { kindNameIn } from '#domain/item/kind-name.ts';

/**
 * Number of rules whose rewards are counted in one statement, and of numbers that are set in one transaction.
 */
const AT_ONCE = 100;
/** Numbers that change while they are counted are counted again this many times at most. */
const MAX_ROUNDS = 5;

type EndedRow = typeof endedRewards.$inferSelect;
/** The stored number of a kind of a rule, and the number counted from its rewards; null if there is none. */
interface Difference {
  stored: EndedRow | null;
  counted: EndedRow | null;
}

/**
 * Counts the ended rewards of all rules again and compares them with the stored numbers, some rules at a
 * time. With `mend` it corrects the differences. It blocks nobody: a number is set only if it has not changed
 * since it was read, and counted again otherwise. Returns how many kinds differed, and how many still do.
 */
export async function recountEnded(
  db: Database,
  { mend }: { mend: boolean },
): Promise<{ found: number; left: number }> {
  let [found, left] = [0, 0];
  for (let after = ''; ; ) {
    const page = await db.read
      .select({ id: rules.id })
      .from(rules)
      .where(gt(rules.id, after))
      .orderBy(asc(rules.id))
      .limit(AT_ONCE);
    const last = page.at(-1);
    if (!last) return { found, left };
    after = last.id;
    let differences = await findDifferences(
      db.read,
      page.map(({ id }) => id),
    );
    found += differences.length;
    for (let round = 0; mend && differences.length > 0 && round < MAX_ROUNDS; round++) {
      await setCounted(db, differences);
      const ruleIds = new Set(differences.map(({ stored, counted }) => (stored ?? counted)?.ruleId ?? ''));
      differences = await findDifferences(db.read, [...ruleIds]);
    }
    left += differences.length;
  }
}

/** Reads both in one statement, so that a reward which ends meanwhile is in both or in neither. */
async function findDifferences(q: Reader, ruleIds: readonly string[]): Promise<Difference[]> {
  const kindName = kindNameIn(items);
  const isIn = (state: (typeof endedRewardStates)[number]) =>
    count(sql`case when ${is(rewards.state, state)} then 1 end`);
  const counted = q
    .select({
      ruleId: rewards.ruleId,
      appId: items.appId,
      kindName: kindName.as('kind_name'),
      itemId: sql<string>`${max(items.id)}`.as('item_id'),
      claimed: isIn('claimed').as('claimed'),
      recalled: isIn('recalled').as('recalled'),
      isStored: sql<number>`0`.mapWith(Number).as('is_stored'),
    })
    .from(rewards)
    .innerJoin(items, eq(items.id, rewards.itemId))
    .where(and(inArray(rewards.ruleId, [...ruleIds]), within(rewards.state, endedRewardStates)))
    .groupBy(rewards.ruleId, items.appId, items.marketHashName, items.traits);
  const { ruleId, appId, itemId, claimed, recalled } = endedRewards;
  const stored = q
    .select({
      ruleId,
      appId,
      kindName: sql<string>`${endedRewards.kindName}`.as('kind_name'),
      itemId: sql<string>`${itemId}`.as('item_id'),
      claimed: sql<number>`${claimed}`.mapWith(Number).as('claimed'),
      recalled: sql<number>`${recalled}`.mapWith(Number).as('recalled'),
      isStored: sql<number>`1`.mapWith(Number).as('is_stored'),
    })
    .from(endedRewards)
    .where(inArray(ruleId, [...ruleIds]));
  const kinds = new Map<string, Difference>();
  for (const { isStored, ...row } of await counted.unionAll(stored)) {
    const key = JSON.stringify([row.ruleId, row.appId, row.kindName]);
    const kind = kinds.get(key) ?? { stored: null, counted: null };
    kinds.set(key, { ...kind, [isStored ? 'stored' : 'counted']: row });
  }
  return [...kinds.values()].filter(
    ({ stored: a, counted: b }) => a?.claimed !== b?.claimed || a?.recalled !== b?.recalled,
  );
}

async function setCounted(db: Database, differences: readonly Difference[]): Promise<void> {
  for (let from = 0; from < differences.length; from += AT_ONCE)
    await db.transaction(async (tx) => {
      for (const difference of differences.slice(from, from + AT_ONCE)) await setOne(tx, difference);
    });
}

async function setOne(tx: Tx, { stored, counted }: Difference): Promise<void> {
  if (!stored) {
    if (counted) await tx.insert(endedRewards).values(counted).onConflictDoNothing();
    return;
  }
  const isAsRead = and(
    eq(endedRewards.ruleId, stored.ruleId),
    eq(endedRewards.appId, stored.appId),
    eq(endedRewards.kindName, stored.kindName),
    eq(endedRewards.claimed, stored.claimed),
    eq(endedRewards.recalled, stored.recalled),
  );
  if (counted) await tx.update(endedRewards).set(counted).where(isAsRead);
  else await tx.delete(endedRewards).where(isAsRead);
}
