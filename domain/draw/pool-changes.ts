import { and, asc, desc, eq, gte, lt } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { draws, poolChanges } from '#db/schema/draw.ts';
import { newId } from '#domain/id.ts';
import type { ChannelTx } from '#domain/locks.ts';

/** The latest changes that a rule's proof shows; the data has all of them. */
const SHOWN_CHANGES = 50;

/** A change of one kind: how many rewards were added (negative: taken off), or another weight. */
interface KindChange {
  appId: number;
  /** The market hash name, and below it the traits of a special piece. */
  kindName: string;
  added?: number;
  weightBefore?: number;
  weight?: number;
}

/** What changed of a random rule's draws after the first one. */
export interface PoolChange {
  atMs: number;
  /** The number of the last draw before it. */
  afterDraw: number;
  appId: number;
  kindName: string;
  /** 0 if only the weight changed. */
  added: number;
  /** Both null if the weight did not change. */
  weightBefore: number | null;
  weight: number | null;
}

const columns = {
  atMs: poolChanges.atMs,
  afterDraw: poolChanges.afterDraw,
  appId: poolChanges.appId,
  kindName: poolChanges.kindName,
  added: poolChanges.added,
  weightBefore: poolChanges.weightBefore,
  weight: poolChanges.weight,
};

/**
 * Records changes of a rule's weights and free rewards for its proof, in the transaction that makes them. Before the first
 * draw there is nothing to record.
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
  await tx.insert(poolChanges).values(
    changes.map((change) => ({
      id: newId(nowMs),
      ruleId,
      atMs: nowMs,
      afterDraw: last.number,
      ...change,
    })),
  );
}

/** Counts the changes of a rule since its first draw. */
export const countPoolChanges = (q: Reader, ruleId: string): Promise<number> =>
  q.$count(poolChanges, eq(poolChanges.ruleId, ruleId));

/** Lists the latest changes of a rule since its first draw, the newest first. */
export const listLatestPoolChanges = (q: Reader, ruleId: string): Promise<PoolChange[]> =>
  q
    .select(columns)
    .from(poolChanges)
    .where(eq(poolChanges.ruleId, ruleId))
    .orderBy(desc(poolChanges.afterDraw), desc(poolChanges.id))
    .limit(SHOWN_CHANGES);

/** Lists changes that were made after draw `from` and before draw `until`, in their order; `null` is the end. */
export const listPoolChangesBetween = (
  q: Reader,
  { ruleId, from, until }: { ruleId: string; from: number; until: number | null },
): Promise<PoolChange[]> =>
  q
    .select(columns)
    .from(poolChanges)
    .where(
      and(
        eq(poolChanges.ruleId, ruleId),
        gte(poolChanges.afterDraw, from),
        until === null ? undefined : lt(poolChanges.afterDraw, until),
      ),
    )
    .orderBy(asc(poolChanges.afterDraw), asc(poolChanges.id));
