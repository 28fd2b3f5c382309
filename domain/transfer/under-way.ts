import { and, type SQL, sql } from 'drizzle-orm';
import { within } from '#db/dialect.ts';
import { liveTransferStates, transfers } from '#db/schema/transfer.ts';

type LiveState = (typeof liveTransferStates)[number];

/** Returns whether a transfer in this state is still in progress. */
export const isUnderWay = (state: string): state is LiveState =>
  liveTransferStates.some((each) => each === state);

/**
 * Filters by live states. The full list is repeated because SQLite uses the partial index on live transfers only if
 * the query contains its exact predicate.
 */
export const underWay = (states: readonly LiveState[]): SQL | undefined =>
  and(within(transfers.state, liveTransferStates), within(transfers.state, states));

/**
 * Time since when a transfer has waited for us; for a claim that is held back, the time from which it may be
 * sent.
 */
export const waitsSince: SQL<number> = sql<number>`coalesce(${transfers.sendsFromMs}, ${transfers.createdAtMs})`;
