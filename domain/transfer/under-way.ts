import { and, type SQL } from 'drizzle-orm';
import { within } from '#db/dialect.ts';
import { liveTransferStates, transfers } from '#db/schema/transfer.ts';

type LiveState = (typeof liveTransferStates)[number];

/** Whether a transfer in this state has neither changed hands nor ended. */
export const isUnderWay = (state: string): state is LiveState =>
  liveTransferStates.some((each) => each === state);

/** Transfers in some of the live states. Both lists are written: SQLite knows the index of live transfers by the whole one. */
export const underWay = (states: readonly LiveState[]): SQL | undefined =>
  and(within(transfers.state, liveTransferStates), within(transfers.state, states));
