import { expect, test } from 'vitest';
import { nothingPaid } from '#domain/subscription/paid-until.ts';
import { surplusOf } from '#domain/subscription/surplus.ts';
import type { SubscriptionFacts } from '#domain/subscription/transition.ts';
import { START_MS } from '#tests/support/fixtures.ts';
import { subscriptionFacts } from '#tests/support/subscribing.ts';

const paid = { ...nothingPaid, payments: ['pi_1'] };
/** From the one that stays to the one that ends. */
const ranks: [string, Partial<SubscriptionFacts>][] = [
  ['one that is paid', { status: 'active', paid }],
  ['one that is paid, with something else overdue', { status: 'past_due', paid }],
  ['one in its trial', { status: 'trialing' }],
  ['one whose payment failed', { status: 'past_due', paid: { ...nothingPaid, due: 'failed' } }],
];
const pairs = ranks.flatMap(([better, winner], place) =>
  ranks.slice(place + 1).map(([worse, ended]) => ({ better, worse, winner, ended })),
);

test.each(pairs)(
  'Of two subscriptions, $better stays and $worse is surplus, whichever is older',
  ({ winner, ended }) => {
    const { payments } = ended.paid ?? nothingPaid;
    for (const laterMs of [-1, 1]) {
      const facts = [
        subscriptionFacts({ id: 'sub_winner', ...winner }),
        subscriptionFacts({ id: 'sub_ended', createdAtMs: START_MS + laterMs, ...ended }),
      ];
      for (const order of [facts, facts.toReversed()])
        expect(surplusOf(order, { isDeleted: false })).toEqual([
          { id: 'sub_ended', why: 'duplicate', payments },
        ]);
    }
  },
);
