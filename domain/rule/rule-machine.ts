import type { RuleState } from '#db/schema/rule.ts';
import { defineMachine } from '#domain/kernel/machine.ts';

/** Closing is final. */
export const ruleMachine = defineMachine({
  open: { paused: 'paused', closed: 'closed' },
  paused: { resumed: 'open', closed: 'closed' },
  closed: {},
} satisfies Record<RuleState, Record<string, RuleState>>);
