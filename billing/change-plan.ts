import type Stripe from 'stripe';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { type Plan, startsAtOnce } from '#domain/plan/plans.ts';
import { findSubscription } from '#domain/subscription/find-subscription.ts';
import { findCustomerId } from '#domain/subscription/stripe-customer.ts';
import type { Subscription } from '#domain/subscription/transition.ts';
import { ask, type Billing, type StripeCode } from './billing.ts';
import { fetchAfterwards } from './fetch-subscriptions.ts';
import { isPaidSlowly } from './payment-types.ts';
import { currentPriceOf, priceIdOf } from './prices.ts';
import { releaseSchedule } from './release-schedule.ts';
import { ourItemOf } from './subscription-facts.ts';

/** A previewed amount is charged as it was shown for this long. */
const PREVIEW_MS = 15 * 60_000;

/** The cost of a change of plan, and when it begins. */
export type PlanChange =
  | { when: 'now'; amountDue: number; currency: string; prorationDate: number }
  | { when: 'later'; atMs: number; why: 'smaller' | 'debit' };

export type ChangeRefusal =
  | StripeCode
  | 'notSubscribed'
  /** It is this plan already. */
  | 'samePlan'
  /** It was cancelled, another plan is to follow, or a payment is overdue: that comes first. */
  | 'notNow'
  /** The amount is another one than was shown, or was shown too long ago. */
  | 'amountChanged';

/**
 * Previews the cost of a change. A change that starts at once is charged at once, prorated to the given
 * second; a smaller plan begins when the paid time ends. So does a larger one for customers who pay by debit,
 * because the bank would answer days after it had begun,
 * https://docs.stripe.com/billing/subscriptions/pending-updates.
 */
export async function previewChange(
  billing: Billing,
  { userId, plan, prorationDate }: { userId: string; plan: Plan; prorationDate?: number },
): Promise<Outcome<{ change: PlanChange; current: Subscription }, ChangeRefusal>> {
  const found = await changeable(billing, userId, plan);
  if (!found.ok) return found;
  const { current } = found;
  if (!startsAtOnce(current, plan))
    return done({ change: { when: 'later', atMs: current.periodEndMs, why: 'smaller' }, current });
  const atSeconds = prorationDate ?? Math.floor(billing.now() / 1000);
  const { stripe } = billing;
  const preview = await ask(billing, 'preview a change of plan', async () => {
    const { items, isTrial, isSlow, currency } = await targetOf(billing, current.id, plan);
    if (isSlow && !isTrial) return null;
    // Stripe would answer with the invoice of the day on which the trial ends: the next one there is.
    if (isTrial) return { amount_due: 0, currency };
    return stripe.invoices.createPreview({
      subscription: current.id,
      subscription_details: { items, proration_behavior: 'always_invoice', proration_date: atSeconds },
    });
  });
  if (!preview.ok) return preview;
  if (preview.value === null)
    return done({ change: { when: 'later', atMs: current.periodEndMs, why: 'debit' }, current });
  const { amount_due: amountDue, currency } = preview.value;
  return done({ change: { when: 'now', amountDue, currency, prorationDate: atSeconds }, current });
}

/** A change as it was confirmed: with the amount that was shown. */
interface ConfirmedChange {
  userId: string;
  plan: Plan;
  requestId: string;
  shown: { amountDue: number; prorationDate: number } | null;
}

/**
 * Changes the plan. What starts at once charges exactly the amount that was shown, or nothing; if the bank wants the
 * customer to confirm it, the plan stays until they do, and `confirmUrl` leads there. Repeating a request charges once.
 */
export async function changePlan(
  billing: Billing,
  { userId, plan, requestId, shown }: ConfirmedChange,
): Promise<Outcome<{ confirmUrl: string | null }, ChangeRefusal>> {
  const customerId = await findCustomerId(billing.db.read, userId);
  const found = await changeable(billing, userId, plan);
  if (!found.ok) return found;
  if (!customerId) return refuse('notSubscribed');
  const { current } = found;
  const isShownLater = shown === null;
  const checked =
    isShownLater || isRecent(shown.prorationDate, billing.now())
      ? await previewChange(billing, { userId, plan, ...(shown && { prorationDate: shown.prorationDate }) })
      : refuse('amountChanged');
  if (!checked.ok) return checked;
  const { change } = checked;
  if (change.when === 'later') {
    if (!isShownLater) return refuse('amountChanged');
    const scheduled = await scheduleChange(billing, current, plan, requestId);
    if (!scheduled.ok) return scheduled;
    await fetchAfterwards(billing, customerId);
    return done({ confirmUrl: null });
  }
  if (isShownLater || change.amountDue !== shown.amountDue) return refuse('amountChanged');
  const changed = await changeNow(billing, current, { plan, requestId, prorationDate: shown.prorationDate });
  if (!changed.ok) return changed;
  await fetchAfterwards(billing, customerId);
  return done({ confirmUrl: confirmUrlOf(changed.value) });
}

const isRecent = (prorationDate: number, nowMs: number): boolean =>
  prorationDate * 1000 <= nowMs && prorationDate * 1000 > nowMs - PREVIEW_MS;

async function changeable(
  { db }: Billing,
  userId: string,
  { product, tier, period }: Plan,
): Promise<Outcome<{ current: Subscription }, 'notSubscribed' | 'samePlan' | 'notNow'>> {
  const current = await findSubscription(db.read, { userId, product });
  if (!current) return refuse('notSubscribed');
  const isSettled = current.state === 'active' || current.state === 'trialing';
  if (!isSettled || current.nextAtMs !== null || current.problem) return refuse('notNow');
  if (current.tier === tier && current.period === period) return refuse('samePlan');
  return done({ current });
}

/** The subscription after the change, and whether Stripe still reports its trial. */
async function targetOf({ stripe }: Billing, subscriptionId: string, plan: Plan) {
  const subscription = await stripe.subscriptions.retrieve(subscriptionId, {
    expand: ['default_payment_method', 'customer.invoice_settings.default_payment_method'],
  });
  const { items, status, currency } = subscription;
  const id = ourItemOf({ items })?.id;
  const price = await priceIdOf({ stripe }, plan);
  return {
    items: [id === undefined ? { price } : { id, price }],
    isTrial: status === 'trialing',
    isSlow: isPaidSlowly(subscription),
    currency,
  };
}

async function changeNow(
  billing: Billing,
  current: Subscription,
  { plan, requestId, prorationDate }: { plan: Plan; requestId: string; prorationDate: number },
): Promise<Outcome<{ value: Stripe.Subscription }, StripeCode>> {
  const released = await releaseSchedule(billing, current);
  if (!released.ok) return released;
  return ask(billing, 'change a plan', async () => {
    const { items, isTrial } = await targetOf(billing, current.id, plan);
    const charging = {
      proration_behavior: 'always_invoice',
      proration_date: prorationDate,
      // The old plan stays until the payment went through, also if the bank wants to see the customer first.
      payment_behavior: 'pending_if_incomplete',
    } as const;
    return billing.stripe.subscriptions.update(
      current.id,
      {
        items,
        ...(isTrial ? { proration_behavior: 'none' } : charging),
        expand: ['latest_invoice'],
      },
      { idempotencyKey: `change-${requestId}` },
    );
  });
}

/**
 * Returns the page on which the customer confirms a payment that the bank stopped; null if it went through.
 */
function confirmUrlOf({
  pending_update: pending,
  latest_invoice: invoice,
}: Stripe.Subscription): string | null {
  if (pending === null || invoice === null || typeof invoice === 'string') return null;
  return invoice.hosted_invoice_url ?? null;
}

/** Lets the paid period run out under the current plan and begins the other one after it. */
async function scheduleChange(
  billing: Billing,
  current: Subscription,
  plan: Plan,
  requestId: string,
): Promise<Outcome<object, StripeCode>> {
  const released = await releaseSchedule(billing, current);
  if (!released.ok) return released;
  const { stripe } = billing;
  return ask(billing, 'schedule a change of plan', async () => {
    const schedule = await createSchedule(billing, current.id, requestId);
    const [phase] = schedule.phases;
    const ours = ourItemOf(await stripe.subscriptions.retrieve(current.id));
    if (!phase || !ours) throw new Error(`schedule ${schedule.id} has no phase of a plan`);
    // Items that the operator added stay beside the plan.
    const others = phase.items.map(plainItem).filter(({ price }) => price !== ours.price.id);
    const later = await currentPriceOf(billing, plan);
    await stripe.subscriptionSchedules.update(schedule.id, {
      end_behavior: 'release',
      metadata: {
        keepsake_tier: plan.tier,
        keepsake_period: plan.period,
        keepsake_price: String(later.unit_amount),
      },
      proration_behavior: 'none',
      phases: [
        {
          items: [{ price: ours.price.id, quantity: 1 }, ...others],
          start_date: phase.start_date,
          end_date: phase.end_date,
          ...(phase.trial_end !== null && { trial_end: phase.trial_end }),
        },
        {
          items: [{ price: later.id, quantity: 1 }, ...others],
          proration_behavior: 'none',
          duration: { interval: plan.period, interval_count: 1 },
        },
      ],
    });
    return done({});
  });
}

const plainItem = ({ price, quantity = 1 }: Stripe.SubscriptionSchedule.Phase.Item) => ({
  price: typeof price === 'string' ? price : price.id,
  quantity,
});

/** Repeating a request gets the same schedule, unless that one was released since. */
async function createSchedule(
  { stripe }: Billing,
  subscriptionId: string,
  requestId: string,
): Promise<Stripe.SubscriptionSchedule> {
  const from = { from_subscription: subscriptionId };
  const key = { idempotencyKey: `schedule-${requestId}` };
  const { id } = await stripe.subscriptionSchedules.create(from, key);
  const schedule = await stripe.subscriptionSchedules.retrieve(id);
  return schedule.status === 'active' ? schedule : stripe.subscriptionSchedules.create(from);
}
