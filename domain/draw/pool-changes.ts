import { and, asc, desc, eq, gt, gte, lte, or, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { draws, type PoolChangeCause, poolChanges } from '#db/schema/draw.ts';
import { items } from '#db/schema/item.ts';
import { rules } from '#db/schema/rule.ts';
import { kindNameOf } from '#domain/item/kind-name.ts';
import { newId } from '#domain/kernel/id.ts';
import type { ChannelTx } from '#domain/kernel/locks.ts';
import { type Page, pageOf } from '#domain/kernel/page.ts';

/** Number of latest changes that a rule's proof shows; the data has all of them. */
const SHOWN_CHANGES = 50;

/** A change of one kind. */
interface KindChange {
  appId: number;
  /** The market hash name, and on a second line the traits of a special piece. */
  kindName: string;
  cause: PoolChangeCause;
  /** Number of rewards added; negative if they were removed. */
  added?: number;
  weightBefore?: number;
  weight?: number;
}

/**
 * A change to what a random rule draws from, between one draw and the next, for one kind and by one cause.
 */
export interface PoolChange {
  /** Number of the last draw before it. */
  afterDraw: number;
  appId: number;
  kindName: string;
  cause: PoolChangeCause;
  /** Number of times that it happened, first at `atMs` and last at `lastAtMs`. */
  times: number;
  atMs: number;
  lastAtMs: number;
  /** Number of rewards added in all; 0 if only the weight changed. */
  added: number;
  /** The weights before the first and after the last time. Both are null if the weight did not change. */
  weightBefore: number | null;
  weight: number | null;
}

/**
 * Records changes of a rule's weights and free rewards for its proof, in the transaction that makes them.
 * Before the first draw there is nothing to record. All changes of one kind by one cause before the next draw
 * are one row, with their count and their first and last time. So a rule has a bounded number of rows for
 * each draw, however often somebody changes it.
 */
export async function recordPoolChanges(
  tx: ChannelTx,
  { ruleId, changes }: { ruleId: string; changes: readonly KindChange[] },
  nowMs: number,
): Promise<void> {
  if (changes.length === 0) return;
  const [last] = await tx
    .select({ number: draws.number })
    .from(draws)
    .where(eq(draws.ruleId, ruleId))
    .orderBy(desc(draws.number))
    .limit(1);
  if (!last) return;
  const made = oneOfEach(changes);
  await tx
    .insert(poolChanges)
    .values(
      made.map((change) => ({
        id: newId(nowMs),
        ruleId,
        atMs: nowMs,
        lastAtMs: nowMs,
        afterDraw: last.number,
        ...change,
      })),
    )
    .onConflictDoUpdate({
      target: [
        poolChanges.ruleId,
        poolChanges.afterDraw,
        poolChanges.appId,
        poolChanges.kindName,
        poolChanges.cause,
      ],
      set: {
        times: sql`${poolChanges.times} + 1`,
        lastAtMs: nowMs,
        added: sql`${poolChanges.added} + excluded.added`,
        weight: sql`excluded.weight`,
      },
    });
  await tx
    .update(rules)
    .set({ changeCount: sql`${rules.changeCount} + ${made.length}` })
    .where(eq(rules.id, ruleId));
}

/** Records that a reward of an item came back into its rule's pool, or left it for good. */
export async function recordPoolItem(
  tx: ChannelTx,
  { ruleId, itemId, cause }: { ruleId: string; itemId: string; cause: 'returned' | 'lost' },
  nowMs: number,
): Promise<void> {
  const [kind] = await tx
    .select({ appId: items.appId, marketHashName: items.marketHashName, traits: items.traits })
    .from(items)
    .where(eq(items.id, itemId));
  if (!kind) return;
  const change = { appId: kind.appId, kindName: kindNameOf(kind), cause, added: cause === 'lost' ? -1 : 1 };
  await recordPoolChanges(tx, { ruleId, changes: [change] }, nowMs);
}

/** Adds up the changes of one request, which may name a kind twice. */
function oneOfEach(changes: readonly KindChange[]): KindChange[] {
  const made = new Map<string, KindChange>();
  for (const change of changes) {
    const key = `${change.cause} ${change.appId} ${change.kindName}`;
    const same = made.get(key);
    made.set(key, same ? { ...change, added: (same.added ?? 0) + (change.added ?? 0) } : change);
  }
  return [...made.values()];
}

/** Lists the latest changes of a rule since its first draw, newest first. */
export async function listLatestPoolChanges(q: Reader, ruleId: string): Promise<PoolChange[]> {
  const rows = await q
    .select()
    .from(poolChanges)
    .where(eq(poolChanges.ruleId, ruleId))
    .orderBy(desc(poolChanges.afterDraw), desc(poolChanges.id))
    .limit(SHOWN_CHANGES);
  return rows.map(toPoolChange);
}

/** A place among the changes of a rule: the draw before the change, and its id. */
export type ChangePlace = readonly [afterDraw: number, id: string];

/** Lists a page of the changes made after draw `from` or later, up to draw `upTo`, in the order of draws. */
export async function listPoolChangesBetween(
  q: Reader,
  { ruleId, from, upTo, after }: { ruleId: string; from: number; upTo: number; after: ChangePlace | null },
  size: number,
): Promise<Page<PoolChange>> {
  const [beginning, id] = after ?? [from, ''];
  const rows = await q
    .select()
    .from(poolChanges)
    .where(
      and(
        eq(poolChanges.ruleId, ruleId),
        gte(poolChanges.afterDraw, Math.max(from, beginning)),
        lte(poolChanges.afterDraw, upTo),
        or(gt(poolChanges.afterDraw, beginning), gt(poolChanges.id, id)),
      ),
    )
    .orderBy(asc(poolChanges.afterDraw), asc(poolChanges.id))
    .limit(size + 1);
  const page = pageOf(rows, size, (row) => [row.afterDraw, row.id]);
  return { rows: page.rows.map(toPoolChange), next: page.next };
}

const toPoolChange = (row: typeof poolChanges.$inferSelect): PoolChange => {
  const { afterDraw, appId, kindName, times, atMs, added, weightBefore, weight } = row;
  const shown = weight === null ? (added > 0 ? 'added' : 'removed') : 'weighed';
  return {
    afterDraw,
    appId,
    kindName,
    cause: row.cause ?? shown,
    times,
    atMs,
    lastAtMs: row.lastAtMs ?? atMs,
    added,
    weightBefore,
    weight,
  };
};
