import type { RaffleState } from '#db/schema/raffle.ts';
import { defineMachine, type EventOf } from '#domain/kernel/machine.ts';

/**
 * A raffle takes entries while it runs. Sealed, its list is closed and told in chat; drawn, every entry has a place,
 * and items go to places until none is left.
 */
export const raffleMachine = defineMachine({
  prepared: { started: 'running', cancelled: 'cancelled' },
  running: { sealed: 'sealed', cancelled: 'cancelled' },
  sealed: { drawn: 'drawn', cancelled: 'cancelled' },
  drawn: { finished: 'over', cancelled: 'cancelled' },
  over: {},
  cancelled: {},
} satisfies Record<RaffleState, Record<string, RaffleState>>);

export type RaffleEvent = EventOf<typeof raffleMachine.table>;
