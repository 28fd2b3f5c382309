import { createHash } from 'node:crypto';
import { desc, eq, inArray, lt, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { oddAnswers } from '#db/schema/odd-answer.ts';
import { day } from '#domain/kernel/time.ts';

/**
 * Number of differences that are stored. Beyond it, those not seen for the longest time are dropped; platforms have equal
 * shares, and so have the places of each.
 */
export const MAX_ODD_ANSWERS = 100;
/** A difference not seen for this long belongs to an earlier version of the platform or of this product. */
const RETENTION_MS = 90 * day;
const MAX_LENGTH = { place: 120, path: 200, found: 60, example: 2000 } as const;

type OddAnswer = Omit<typeof oddAnswers.$inferInsert, 'id' | 'firstSeenAtMs' | 'lastSeenAtMs'>;

/**
 * Adds counted differences to those that are stored. Returns those that were not. Called rarely: processes count
 * in their memory meanwhile.
 */
export async function recordOddAnswers<Odd extends OddAnswer>(
  db: Database,
  odd: readonly Odd[],
  nowMs: number,
): Promise<Odd[]> {
  if (odd.length === 0) return [];
  // In one order in every process, so that two of them cannot wait for each other.
  const counted = odd.map((each) => ({ each, row: rowOf(each, nowMs) }));
  counted.sort((a, b) => (a.row.id < b.row.id ? -1 : 1));
  return db.transaction(async (tx) => {
    const added = new Set<Odd>();
    for (const { each, row } of counted) if (await add(tx, row)) added.add(each);
    await drop(tx, nowMs);
    return odd.filter((each) => added.has(each));
  });
}

/** Returns true if the difference was not stored yet. */
async function add(tx: Tx, row: ReturnType<typeof rowOf>): Promise<boolean> {
  const added = await tx
    .insert(oddAnswers)
    .values(row)
    .onConflictDoNothing()
    .returning({ id: oddAnswers.id });
  if (added.length > 0) return true;
  await tx
    .update(oddAnswers)
    .set({
      count: sql`${oddAnswers.count} + ${row.count}`,
      reaction: row.reaction,
      lastSeenAtMs: row.lastSeenAtMs,
    })
    .where(eq(oddAnswers.id, row.id));
  return false;
}

function rowOf(
  { platform, place, path, difference, found, reaction, example, count }: OddAnswer,
  nowMs: number,
) {
  const cut = {
    place: place.slice(0, MAX_LENGTH.place),
    path: path.slice(0, MAX_LENGTH.path),
    found: found.slice(0, MAX_LENGTH.found),
  };
  const key = JSON.stringify([platform, cut.place, cut.path, difference, cut.found]);
  return {
    id: createHash('sha256').update(key).digest('hex').slice(0, 32),
    platform,
    ...cut,
    difference,
    reaction,
    example: example && example.length <= MAX_LENGTH.example ? example : null,
    count,
    firstSeenAtMs: nowMs,
    lastSeenAtMs: nowMs,
  };
}

async function drop(tx: Tx, nowMs: number): Promise<void> {
  await tx.delete(oddAnswers).where(lt(oddAnswers.lastSeenAtMs, nowMs - RETENTION_MS));
  const { id, platform, place } = oddAnswers;
  const newestFirst = await tx
    .select({ id, platform, place })
    .from(oddAnswers)
    .orderBy(desc(oddAnswers.lastSeenAtMs), desc(oddAnswers.count), id);
  const byPlace = inTurns(newestFirst, (row) => `${row.platform} ${row.place}`);
  const beyond = inTurns(byPlace, (row) => row.platform).slice(MAX_ODD_ANSWERS);
  if (beyond.length > 0)
    await tx.delete(oddAnswers).where(
      inArray(
        id,
        beyond.map((row) => row.id),
      ),
    );
}

/** Orders rows so that groups take turns, each in its own order. */
function inTurns<Row>(rows: readonly Row[], groupOf: (row: Row) => string): Row[] {
  const amounts = new Map<string, number>();
  const placed = rows.map((row) => {
    const turn = amounts.get(groupOf(row)) ?? 0;
    amounts.set(groupOf(row), turn + 1);
    return { row, turn };
  });
  return placed.sort((one, other) => one.turn - other.turn).map(({ row }) => row);
}
