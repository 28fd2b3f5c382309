import fc from 'fast-check';
import { expect, test } from 'vitest';
import { handleEvents } from '#billing/handle-events.ts';
import { eventRow } from '#billing/receive-webhook.ts';
import { runRound } from '#billing/run-round.ts';
import { hour } from '#domain/kernel/time.ts';
import { isInForce } from '#domain/plan/limits-of.ts';
import { receiveEvents } from '#domain/subscription/event-inbox.ts';
import { GRACE_MS } from '#domain/subscription/transition.ts';
import { closeDispute, disputeCharge, endInquiry } from '#sandbox/stripe/disputes.ts';
import type { Invoice } from '#sandbox/stripe/stored.ts';
import { addStreamer, type Person } from '#tests/support/fixtures.ts';
import {
  billing,
  customerOf,
  db,
  setBillingStage,
  storedOf,
  streamerBasic,
  stripe,
  subscribe,
  withoutTrials,
} from './stage.ts';

setBillingStage();

const { signal } = new AbortController();
const steps = fc.array(
  fc.record({
    act: fc.constantFrom('none', 'decline', 'refund', 'refundPart', 'dispute', 'inquiry', 'cancelNow'),
    days: fc.integer({ min: 1, max: 20 }),
    delivery: fc.constantFrom('inOrder', 'reversed', 'doubled', 'lost', 'late'),
    later: fc.constantFrom('won', 'lost', 'open'),
  }),
  { minLength: 2, maxLength: 5 },
);
type Step = typeof steps extends fc.Arbitrary<(infer S)[]> ? S : never;

const of = <Row extends { customer?: unknown }>(rows: Record<string, Row>, customer: string): Row[] =>
  Object.values(rows).filter((row) => row.customer === customer);
const chargesFor = (customer: string, intents: ReadonlySet<unknown>) =>
  of(stripe.world.state.objects.charge, customer).filter(({ payment_intent: intent }) => intents.has(intent));
const isHeld = (status: string) => !['won', 'warning_needs_response', 'warning_closed'].includes(status);

/** The time that an invoice covers by the account's own books, read without the product's help. */
function coverOf(customer: string, invoice: Invoice) {
  const { objects } = stripe.world.state;
  const payments = Object.values(objects.invoice_payment).filter((each) => each.invoice === invoice.id);
  const charges = chargesFor(customer, new Set(payments.map(({ payment }) => payment.payment_intent)));
  const held = Object.values(objects.dispute)
    .filter(({ charge, status }) => charges.some(({ id }) => id === charge) && isHeld(status))
    .reduce((sum, { amount }) => sum + amount, 0);
  const returned = held + charges.reduce((sum, charge) => sum + charge.amount_refunded, 0);
  const share = invoice.amount_paid > 0 ? Math.min(1, returned / invoice.amount_paid) : 1;
  const { start = 0, end = 0 } = invoice.lines.data.at(-1)?.period ?? {};
  const failed = charges.filter(({ status }) => status === 'failed').map(({ created }) => created * 1000);
  return {
    minMs: invoice.status === 'paid' && share < 1 ? (end - share * (end - start)) * 1000 : 0,
    maxMs: invoice.status === 'paid' && share < 1 ? end * 1000 : 0,
    failedMs: failed.length > 0 ? Math.min(...failed) : 0,
  };
}

function books(customer: string) {
  const covers = of(stripe.world.state.objects.invoice, customer).map((each) => coverOf(customer, each));
  const maxOf = (pick: (cover: (typeof covers)[number]) => number) => Math.max(0, ...covers.map(pick));
  return {
    minMs: maxOf(({ minMs }) => minMs),
    maxMs: Math.max(
      maxOf(({ maxMs }) => maxMs),
      maxOf(({ failedMs }) => failedMs),
    ),
  };
}

async function act({ act: what, later }: Step, customer: string): Promise<void> {
  const { world } = stripe;
  const charge = of(world.state.objects.charge, customer).findLast(
    ({ paid, refunded, disputed }) => paid && !refunded && !disputed,
  );
  const [live] = of(world.state.objects.subscription, customer).filter(({ status }) => status !== 'canceled');
  if (what === 'decline') world.orderPaymentTrouble(customer, { outcome: 'declined', times: 2 });
  if (what === 'cancelNow' && live) await stripe.stripe.subscriptions.cancel(live.id);
  if (!charge) return;
  if (what === 'refund') await stripe.stripe.refunds.create({ charge: charge.id });
  if (what === 'refundPart') await stripe.stripe.refunds.create({ charge: charge.id, amount: 100 });
  if (what === 'inquiry') endInquiry(world, disputeCharge(world, charge.id, 'inquiry').id, 'closed');
  if (what !== 'dispute') return;
  const { id } = disputeCharge(world, charge.id);
  if (later !== 'open') closeDispute(world, id, later);
}

/** Delivers webhooks as they come: lost ones never, and late ones with those of the next step. */
function courier(person: Person) {
  const seen = new Set<string>();
  const late: unknown[] = [];
  return async ({ delivery }: Pick<Step, 'delivery'>) => {
    const fresh = Object.values(stripe.world.state.objects.event).filter(({ id }) => !seen.has(id));
    for (const { id } of fresh) seen.add(id);
    const due = [...(delivery === 'late' || delivery === 'lost' ? [] : fresh), ...late.splice(0)];
    if (delivery === 'late') late.push(...fresh);
    const sent = delivery === 'reversed' ? due.toReversed() : delivery === 'doubled' ? [...due, ...due] : due;
    for (const event of sent) {
      const row = eventRow(event);
      if (row) await receiveEvents(db, [row], Date.now());
      await handleEvents(billing, signal);
    }
    return person;
  };
}

const hasPlan = async (person: Person) =>
  (await storedOf(person)).some((row) => isInForce(row, billing.now()));

test('However webhooks come, access never ends before paid-until, and after a round outlasts it by no more than grace', async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (life) => {
      const person = await withoutTrials(await addStreamer(db));
      await subscribe(person, streamerBasic);
      const customer = await customerOf(person);
      const deliver = courier(person);
      for (const step of life) {
        await act(step, customer);
        await deliver(step);
        const early = books(customer);
        if (early.minMs > billing.now()) expect(await hasPlan(person)).toBe(true);
        stripe.advanceDays(step.days);
        await deliver(step);
        if (books(customer).minMs > billing.now()) expect(await hasPlan(person)).toBe(true);
        // The daily round, and once more for what it has just asked of Stripe.
        for (let round = 0; round < 2; round++) {
          stripe.clock.advance(25 * hour);
          await runRound(billing, signal);
        }
        const { minMs, maxMs } = books(customer);
        if (minMs > billing.now()) expect(await hasPlan(person)).toBe(true);
        if (maxMs + GRACE_MS < billing.now()) expect(await hasPlan(person)).toBe(false);
      }
    }),
    // A history takes seconds, and so would each attempt to make it shorter.
    { numRuns: 12, endOnFailure: true },
  );
});
