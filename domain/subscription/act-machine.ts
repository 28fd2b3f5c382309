import type { BillingActState } from '#db/schema/billing.ts';
import { defineMachine, type EventOf } from '#domain/kernel/machine.ts';

/**
 * Events of an act at Stripe. `answered`: Stripe answered that it is not done. `silent`: the answer was lost,
 * so it may be done. `early`: it cannot be done yet. All three lead to another attempt.
 */
export const actMachine = defineMachine({
  due: {
    done: 'done',
    answered: 'due',
    silent: 'due',
    early: 'due',
    withdrawn: 'withdrawn',
    outOfTime: 'abandoned',
  },
  done: { wanted: 'due' },
  withdrawn: { wanted: 'due' },
  abandoned: { wanted: 'due' },
} satisfies Record<BillingActState, Record<string, BillingActState>>);

export type ActEvent = EventOf<typeof actMachine.table>;
