import fc from 'fast-check';
import { expect, test } from 'vitest';
import { subscriptions } from '#db/schema/billing.ts';
import { day, hour } from '#domain/kernel/time.ts';
import { isInForce } from '#domain/plan/limits-of.ts';
import { findStored } from '#domain/subscription/list-subscriptions.ts';
import { type InvoiceFacts, nothingPaid, paidOf } from '#domain/subscription/paid-until.ts';
import {
  GRACE_MS,
  type Subscription,
  type SubscriptionFacts,
  transition,
} from '#domain/subscription/transition.ts';
import { START_MS } from '#tests/support/fixtures.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { storeFacts, subscriptionFacts } from '#tests/support/subscribing.ts';

setScene();

const basic = { product: 'streamer', tier: 'basic', period: 'month' } as const;
const pro = { ...basic, tier: 'pro' } as const;
const END_MS = START_MS + 30 * day;

const line = (facts: Partial<InvoiceFacts['lines'][number]> = {}): InvoiceFacts['lines'][number] => ({
  plan: basic,
  amount: 499,
  startMs: START_MS,
  endMs: END_MS,
  isProration: false,
  ...facts,
});
const invoice = (facts: Partial<InvoiceFacts> = {}): InvoiceFacts => ({
  status: 'paid',
  createdAtMs: START_MS,
  lines: [line()],
  total: 499,
  charged: 499,
  returned: 0,
  returnedBy: null,
  payments: ['pi_1'],
  collection: 'pending',
  failedAtMs: null,
  ...facts,
});
const upgrade = (facts: Partial<InvoiceFacts> = {}): InvoiceFacts =>
  invoice({
    createdAtMs: START_MS + day,
    payments: ['pi_2'],
    lines: [
      line({ amount: -482, startMs: START_MS + day, isProration: true }),
      line({ amount: 3866, startMs: START_MS + day, isProration: true, plan: pro }),
    ],
    total: 3384,
    charged: 3384,
    ...facts,
  });
const refunded = { returned: 499, returnedBy: 'refund' } as const;
const extra = invoice({
  status: 'unpaid',
  collection: 'failed',
  failedAtMs: START_MS + day,
  lines: [line({ plan: null })],
});
const renewal = invoice({ status: 'unpaid', lines: [line({ startMs: END_MS, endMs: END_MS + 30 * day })] });
const nowMs = START_MS + 10 * day;

test.each([
  ['of a period', [invoice()], { coverage: { untilMs: END_MS, plan: basic }, payments: ['pi_1'] }],
  ['of a trial', [invoice({ lines: [line({ amount: 0 })], total: 0, charged: 0 })], { coverage: null }],
  ['of something else', [invoice({ lines: [line({ plan: null })] })], { coverage: null }],
  ['paid from the balance', [invoice({ charged: 0 })], { coverage: { untilMs: END_MS, plan: basic } }],
  [
    'refunded in half',
    [invoice({ ...refunded, returned: 249.5 })],
    { coverage: { untilMs: START_MS + 15 * day, plan: basic }, reversedBy: null },
  ],
  ['refunded', [invoice(refunded)], { coverage: null, reversedBy: 'refund', payments: [] }],
  [
    'disputed',
    [invoice({ returned: 499, returnedBy: 'dispute' })],
    { coverage: null, reversedBy: 'dispute' },
  ],
  [
    'of a former period, refunded',
    [
      invoice({ ...refunded, lines: [line({ startMs: START_MS - 30 * day, endMs: START_MS })] }),
      invoice({ createdAtMs: START_MS + 1 }),
    ],
    { coverage: { untilMs: END_MS, plan: basic }, reversedBy: null },
  ],
  [
    'with an upgrade',
    [invoice(), upgrade()],
    { coverage: { untilMs: END_MS, plan: pro }, reversedBy: null, payments: ['pi_2', 'pi_1'] },
  ],
  [
    'with an upgrade that was disputed',
    [invoice(), upgrade({ returned: 3384, returnedBy: 'dispute' })],
    { coverage: { untilMs: END_MS, plan: basic }, reversedBy: 'dispute' },
  ],
  [
    'that was credited when it was cancelled',
    [
      invoice(),
      invoice({
        createdAtMs: nowMs,
        lines: [line({ amount: -300, startMs: nowMs, isProration: true })],
        total: -300,
        charged: 0,
      }),
    ],
    { coverage: { untilMs: nowMs, plan: basic } },
  ],
  [
    'with a failed extra charge',
    [invoice(), extra],
    { coverage: { untilMs: END_MS, plan: basic }, due: 'none', failedAtMs: null },
  ],
  ['with the next one to come', [invoice(), renewal], { due: 'pending' }],
  [
    'with the next one failed',
    [invoice(), { ...renewal, collection: 'failed', failedAtMs: END_MS + hour }, extra],
    { due: 'failed', failedAtMs: END_MS + hour },
  ],
] as const)('An invoice %s covers what was paid for', (_what, invoices, expected) => {
  expect(
    paidOf(
      invoices,
      invoices.some((each) => each.lines.some(({ plan }) => plan?.tier === 'pro')) ? pro : basic,
      nowMs,
    ),
  ).toMatchObject(expected);
});

const rowOf = (facts: Partial<SubscriptionFacts>, atMs = nowMs): Subscription =>
  transition('user', null, subscriptionFacts(facts), atMs).row ?? expect.fail();

test('A failed extra charge on day 200 of a paid year ends nothing before the year is over', () => {
  const untilMs = START_MS + 365 * day;
  const paid = { ...nothingPaid, coverage: { untilMs, plan: basic } };
  const failedMs = START_MS + 200 * day;
  for (const status of ['past_due', 'unpaid']) {
    const row = rowOf({ status, paid, periodEndMs: untilMs }, failedMs);
    expect(row).toMatchObject({ state: 'grace', graceUntilMs: untilMs, paidUntilMs: untilMs });
    expect(isInForce(row, untilMs - 1)).toBe(true);
  }
  // Stripe gives up on the charge and cancels: the paid time goes on.
  const row = rowOf({ status: 'canceled', endedAtMs: failedMs, paid }, failedMs);
  expect(row).toMatchObject({ state: 'covered', endsAtMs: untilMs });
  expect([isInForce(row, untilMs - 1), isInForce(row, untilMs)]).toEqual([true, false]);
});

test('A debit that fails after thirteen days leaves seven days from then on', () => {
  const failedAtMs = START_MS + 13 * day;
  const paid = { ...nothingPaid, due: 'failed', failedAtMs } as const;
  expect(rowOf({ status: 'past_due', paid }, failedAtMs + 2 * hour)).toMatchObject({
    state: 'grace',
    failedAtMs,
    graceUntilMs: failedAtMs + GRACE_MS,
  });
  // While the bank has not answered nothing is overdue.
  const pending = { ...nothingPaid, due: 'pending' } as const;
  expect(rowOf({ status: 'past_due', paid: pending }, failedAtMs)).toMatchObject({
    state: 'active',
    graceUntilMs: null,
  });
});

test('What an upgrade had is not what is left of a subscription that was cancelled', () => {
  const paid = { ...nothingPaid, coverage: { untilMs: END_MS, plan: basic } };
  expect(rowOf({ status: 'canceled', plan: pro, endedAtMs: nowMs, paid })).toMatchObject({
    state: 'covered',
    tier: 'basic',
  });
  expect(rowOf({ status: 'active', plan: pro, paid })).toMatchObject({ state: 'active', tier: 'pro' });
});

/** A life in months: the end of each renewal's payment, and its later fate. */
const lives = fc.array(
  fc.record({
    pays: fc.constantFrom('atOnce', 'late', 'pendingThenPaid', 'pendingThenFails', 'never'),
    delayHours: fc.integer({ min: 1, max: 20 * 24 }),
    returned: fc.constantFrom(0, 0, 0, 0.25, 1),
    returnedBy: fc.constantFrom('refund', 'dispute'),
    returnedAfterHours: fc.integer({ min: 1, max: 60 * 24 }),
    isWon: fc.boolean(),
    hasFailedExtra: fc.boolean(),
  }),
  { minLength: 1, maxLength: 5 },
);
type Life = typeof lives extends fc.Arbitrary<infer L> ? L : never;

/** The state of Stripe at a moment of such a life: the invoices, and the status that follows from the newest. */
function stripeAt(life: Life, atMs: number): { invoices: InvoiceFacts[]; facts: Partial<SubscriptionFacts> } {
  const begun = life.filter((_, month) => START_MS + month * 30 * day <= atMs);
  const invoices = begun.flatMap((month, index) => {
    const startMs = START_MS + index * 30 * day;
    const laterMs = startMs + hour + month.delayHours * hour;
    const isPaid = {
      atOnce: startMs + hour <= atMs,
      late: laterMs <= atMs,
      pendingThenPaid: laterMs <= atMs,
      pendingThenFails: false,
      never: false,
    }[month.pays];
    const failedMs = {
      atOnce: null,
      late: startMs + hour,
      pendingThenPaid: null,
      pendingThenFails: laterMs,
      never: startMs + hour,
    }[month.pays];
    const isReturned =
      isPaid &&
      startMs + month.returnedAfterHours * hour <= atMs &&
      !(month.returnedBy === 'dispute' && month.isWon);
    const period = invoice({
      status: isPaid ? 'paid' : 'unpaid',
      createdAtMs: startMs,
      lines: [line({ startMs, endMs: startMs + 30 * day })],
      charged: isPaid ? 499 : 0,
      returned: isReturned ? 499 * month.returned : 0,
      returnedBy: isReturned && month.returned > 0 ? month.returnedBy : null,
      collection: failedMs !== null && failedMs <= atMs ? 'failed' : 'pending',
      failedAtMs: failedMs !== null && failedMs <= atMs ? failedMs : null,
    });
    const failed = { ...extra, createdAtMs: startMs + day, failedAtMs: startMs + day };
    return month.hasFailedExtra && startMs + day <= atMs ? [period, failed] : [period];
  });
  const overdue = invoices.at(-1)?.status === 'unpaid' && invoices.at(-1)?.collection === 'failed';
  const startMs = START_MS + (begun.length - 1) * 30 * day;
  return {
    invoices,
    facts: {
      status: overdue ? 'past_due' : 'active',
      periodStartMs: startMs,
      periodEndMs: startMs + 30 * day,
    },
  };
}

test('Access never ends before paid-until, and never outlasts it, or the failure of what was pending, by more than grace', async () => {
  await fc.assert(
    fc.asyncProperty(
      lives,
      // Fetches happen at any moments, also twice, and answers may come in the rarer order; the last one finds everything.
      fc.array(fc.integer({ min: 0, max: 160 * 24 }), { minLength: 1, maxLength: 6 }),
      fc.boolean(),
      async (life, hours, isCancelled) => {
        await db.transaction((tx) => tx.delete(subscriptions));
        // Each month of a life has its invoice: after the last one there is nothing to be told of.
        const lastMs = START_MS + life.length * 30 * day - hour;
        const momentOf = (each: number) => Math.min(lastMs, START_MS + each * hour);
        const id = `sub_${fc.hash(JSON.stringify([life, hours, isCancelled]))}`;
        const fetchAt = async (atMs: number) => {
          const { invoices, facts } = stripeAt(life, atMs);
          const paid = paidOf(invoices, basic, atMs);
          // A subscription that nobody pays for any more is cancelled, and so is anything at the dashboard.
          const ends = paid.reversedBy !== null || isCancelled;
          const status = ends ? { status: 'canceled', endedAtMs: atMs } : facts;
          await storeFacts(db, streamer, [subscriptionFacts({ id, ...facts, ...status, paid })], atMs);
          return { paid, invoices, ends };
        };
        for (const each of hours) await fetchAt(momentOf(each));
        const atMs = momentOf(Math.max(...hours));
        const { paid, invoices, ends } = await fetchAt(atMs);
        const row = (await findStored(db, [id])).get(id);
        const has = (ms: number) => row !== undefined && isInForce(row, ms);
        const paidUntilMs = paid.coverage?.untilMs ?? 0;
        if (paidUntilMs > atMs && (row || !ends)) {
          expect(has(atMs)).toBe(true);
          expect(has(paidUntilMs - 1)).toBe(true);
        }
        const failedMs = Math.max(0, ...invoices.flatMap(({ failedAtMs }) => failedAtMs ?? []));
        if (row && (ends || (row.state === 'grace' && paid.due === 'failed')))
          expect(has(Math.max(paidUntilMs, ends ? 0 : failedMs) + GRACE_MS + 1)).toBe(false);
        if (row?.state === 'grace')
          expect(row.graceUntilMs).toBeLessThanOrEqual(Math.max(paidUntilMs, failedMs) + GRACE_MS);
      },
    ),
    { numRuns: 100 },
  );
});
