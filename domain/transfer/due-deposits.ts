import { and, asc, eq, getTableColumns, lt, lte, notExists, notInArray, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { alias, is, within } from '#db/dialect.ts';
import { liveTransferStates, transfers } from '#db/schema/transfer.ts';
import { type DepositRoom, hasDeposited } from '#domain/transfer/deposit-room.ts';
import { type Contents, readContents } from '#domain/transfer/game-room.ts';
import type { CountedOffers } from '#domain/transfer/open-offers.ts';
import { underWay } from '#domain/transfer/under-way.ts';

/**
 * Selects the deposits that a bot could request now if there were room for them. Only the first that each
 * account has waiting here is selected, so that one account's long queue never stands before another's first.
 * Leaves out accounts that have as many offers as Steam or we allow.
 */
export const dueDeposits = (
  q: Reader,
  { botId, room, open }: { botId: string; room: DepositRoom; open: CountedOffers },
  nowMs: number,
) =>
  q
    .select({ ...getTableColumns(transfers), hasDeposited: hasDeposited(q) })
    .from(transfers)
    .where(
      and(
        eq(transfers.botId, botId),
        underWay(['queued']),
        is(transfers.kind, 'deposit'),
        eq(transfers.cancelWanted, false),
        lte(transfers.runAtMs, nowMs),
        notInArray(transfers.partnerSteamId, open.fullPartners()),
        notInArray(transfers.userId, room.fullAccounts()),
        notExists(earlierOfAccount(q, nowMs)),
      ),
    )
    .orderBy(asc(transfers.runAtMs), asc(transfers.id))
    .limit(100);

/** Adds to each deposit what it asks for. */
export async function withContents<Row extends { id: string }>(
  q: Reader,
  rows: readonly Row[],
): Promise<(Row & { contents: Contents })[]> {
  const contentsIn = await readContents(
    q,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => ({ ...row, contents: contentsIn(row.id) }));
}

/** Returns whether a deposit waits at the bot. */
export const hasDueDeposit = async (
  q: Reader,
  { botId }: { botId: string },
  nowMs: number,
): Promise<boolean> => {
  const due = await q
    .select({ one: sql`1` })
    .from(transfers)
    .where(
      and(
        eq(transfers.botId, botId),
        underWay(['queued']),
        is(transfers.kind, 'deposit'),
        lte(transfers.runAtMs, nowMs),
      ),
    )
    .limit(1);
  return due.length > 0;
};

const earlier = alias(transfers, 'earlier');

const earlierOfAccount = (q: Reader, nowMs: number) =>
  q
    .select({ one: sql`1` })
    .from(earlier)
    .where(
      and(
        eq(earlier.userId, transfers.userId),
        lt(earlier.id, transfers.id),
        within(earlier.state, liveTransferStates),
        is(earlier.state, 'queued'),
        is(earlier.kind, 'deposit'),
        eq(earlier.botId, transfers.botId),
        eq(earlier.cancelWanted, false),
        lte(earlier.runAtMs, nowMs),
      ),
    );
