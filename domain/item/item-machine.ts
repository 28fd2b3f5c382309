import type { ItemState } from '#db/schema/item.ts';
import { defineMachine, type EventOf } from '#domain/kernel/machine.ts';

/** The holder of an item, from the accepted deposit to its end. Every step writes a ledger entry. */
export const itemMachine = defineMachine({
  held: { offered: 'outgoing', lost: 'missing', depositReversed: 'gone' },
  outgoing: {
    offerEnded: 'held',
    delivered: 'delivered',
    lost: 'missing',
    depositReversed: 'gone',
  },
  delivered: { settled: 'gone', reversed: 'held' },
  missing: { found: 'held', delivered: 'delivered', depositReversed: 'gone', released: 'gone' },
  gone: {},
} satisfies Record<ItemState, Record<string, ItemState>>);

export type ItemEvent = EventOf<typeof itemMachine.table>;
