import { z } from 'zod';
import { config } from '#app/config.server.ts';
import { billing } from '#app/services/billing/billing.server.ts';
import { billingRefusals } from '#app/services/billing/billing-refusals.server.ts';
import { chargeCursor, chargesOf } from '#app/services/billing/charges.server.ts';
import { cancelSubscription, resumeSubscription } from '#billing/cancel-subscription.ts';
import { changePlan, previewChange } from '#billing/change-plan.ts';
import { openPortal } from '#billing/open-portal.ts';
import { startCheckout } from '#billing/start-checkout.ts';
import { type Product, products } from '#db/schema/billing.ts';
import { chargeReads } from '#domain/budget/budgets.ts';
import { second } from '#domain/kernel/time.ts';
import { getUsage } from '#domain/plan/get-usage.ts';
import type { Plan } from '#domain/plan/plans.ts';
import {
  findSubscription,
  listCovered,
  listLiveSubscriptions,
} from '#domain/subscription/find-subscription.ts';
import { planFields } from '../billing-resources.ts';
import { type Call, endpoint } from '../endpoint.ts';
import { failWith } from '../failure.ts';
import { tooMany } from '../limits.server.ts';
import {
  chargeResource,
  freeResources,
  planChangeResource,
  planResources,
  subscriptionResource,
} from '../present-billing.server.ts';
import { billingPortals, charges, checkouts, planChanges, plans, subscriptions } from '../resources.ts';
import { base, some } from './fields.ts';

const subscriptionsPath = `${base}/subscriptions`;
const planBody = { type: 'plans', attributes: z.strictObject(planFields) };
const productBody = { type: 'subscriptions', attributes: z.strictObject({ product: planFields.product }) };
/** Refusals of Stripe, or of a free instance, that any call can meet. */
const atStripe = some(billingRefusals, 'unavailable', 'declined', 'refused', 'off');
const atChange = {
  ...atStripe,
  ...some(billingRefusals, 'notSubscribed', 'samePlan', 'notNow', 'amountChanged'),
};

type Caller = Pick<Call<'verified'>, 'db' | 'nowMs' | 'account'>;

/** A user's present plans, each with its use. */
async function plansOf({ db, nowMs, account }: Caller, of: readonly Product[]) {
  const [live, covered, usage] = await Promise.all([
    listLiveSubscriptions(db.read, account.id),
    listCovered(db.read, account.id, nowMs),
    getUsage(db, account.id, nowMs),
  ]);
  const facts = { inForce: [...live, ...covered], usage, settings: config().billing ?? null };
  return of.map((each) => subscriptionResource(account.id, each, facts));
}

const planOf = async (call: Caller, product: Product) => (await plansOf(call, [product]))[0] ?? null;

/**
 * Returns whether this plan is present already, or is to follow: a repeated change has nothing left to do.
 */
async function isChanged({ db, account }: Caller, { product, tier, period }: Plan): Promise<boolean> {
  const current = await findSubscription(db.read, { userId: account.id, product });
  if (!current) return false;
  if (current.nextAtMs !== null) return current.nextTier === tier && current.nextPeriod === period;
  return current.tier === tier && current.period === period;
}

const refusedToAct = { ...atStripe, ...some(billingRefusals, 'notSubscribed') };
type ProductCall = Call<
  'verified',
  Record<string, string>,
  Record<string, unknown>,
  { product: Product },
  keyof typeof refusedToAct
>;

/** Shared by cancelling and resuming: both act on one subscription, and answer the plan as it is then. */
const actOnSubscription = (act: typeof cancelSubscription | typeof resumeSubscription) => ({
  access: 'verified' as const,
  body: productBody,
  repeatable: true,
  answers: { data: 'one' as const, of: [subscriptions] },
  refuses: refusedToAct,
  async handle(call: ProductCall) {
    const { account, body, requestId, refuse } = call;
    const open = await billing();
    if (!open) return refuse('off');
    const outcome = await act(open, { userId: account.id, requestId, product: body.product });
    return outcome.ok ? { data: await planOf(call, body.product) } : refuse(outcome.code);
  },
});

export const billingEndpoints = [
  endpoint({
    method: 'GET',
    path: `${base}/plans`,
    name: 'listPlans',
    access: 'anyone',
    answers: { data: 'many', of: [plans] },
    async handle() {
      const { billing: sold } = config();
      return { data: sold ? planResources(sold.currency) : freeResources('usd') };
    },
  }),
  endpoint({
    method: 'GET',
    path: subscriptionsPath,
    name: 'listSubscriptions',
    access: 'verified',
    answers: { data: 'many', of: [subscriptions] },
    async handle(call) {
      return { data: await plansOf(call, products) };
    },
  }),
  endpoint({
    method: 'GET',
    path: `${base}/charges`,
    name: 'listCharges',
    access: 'verified',
    cursor: chargeCursor,
    answers: { data: 'many', of: [charges] },
    refuses: some(billingRefusals, 'unavailable', 'declined', 'refused'),
    async handle({ account, page, refuse }) {
      const read = await chargesOf(account.id, page);
      if (read.ok) return { data: read.page.rows.map(chargeResource), next: read.page.next };
      if (read.code === 'noSuchPage') throw failWith('badParameter', { parameter: 'page[after]' });
      if (read.code === 'tooMany') throw tooMany(chargeReads.windowMs / second);
      return refuse(read.code);
    },
  }),
  endpoint({
    method: 'POST',
    path: `${subscriptionsPath}/checkout`,
    name: 'startCheckout',
    access: 'verified',
    body: planBody,
    answers: { data: 'one', of: [checkouts] },
    refuses: { ...atStripe, ...some(billingRefusals, 'alreadySubscribed', 'unreadable', 'otherCurrency') },
    async handle({ account, body, requestId, refuse }) {
      const open = await billing();
      if (!open) return refuse('off');
      const outcome = await startCheckout(open, { user: account, plan: body });
      return outcome.ok ? { data: checkouts.of(requestId, { url: outcome.url }) } : refuse(outcome.code);
    },
  }),
  endpoint({
    method: 'POST',
    path: `${subscriptionsPath}/portal`,
    name: 'openBillingPortal',
    access: 'verified',
    answers: { data: 'one', of: [billingPortals] },
    refuses: { ...atStripe, ...some(billingRefusals, 'notSubscribed') },
    async handle({ account, requestId, refuse }) {
      const open = await billing();
      if (!open) return refuse('off');
      const outcome = await openPortal(open, account.id);
      return outcome.ok ? { data: billingPortals.of(requestId, { url: outcome.url }) } : refuse(outcome.code);
    },
  }),
  endpoint({
    method: 'POST',
    path: `${subscriptionsPath}/change-preview`,
    name: 'previewPlanChange',
    access: 'verified',
    body: planBody,
    answers: { data: 'one', of: [planChanges] },
    refuses: atChange,
    async handle({ nowMs, account, body, requestId, refuse }) {
      const open = await billing();
      if (!open) return refuse('off');
      const outcome = await previewChange(open, { userId: account.id, plan: body });
      if (!outcome.ok) return refuse(outcome.code);
      const facts = { change: outcome.change, currency: open.settings.currency, nowMs };
      return { data: planChangeResource(requestId, body, facts) };
    },
  }),
  endpoint({
    method: 'POST',
    path: `${subscriptionsPath}/change`,
    name: 'changePlan',
    access: 'verified',
    body: {
      type: 'plans',
      attributes: z.strictObject({
        ...planFields,
        amount_due: z.int().nullable().default(null),
        proration_date: z.int().min(0).nullable().default(null),
      }),
    },
    repeatable: true,
    answers: {
      data: 'one',
      of: [subscriptions],
      meta: z.strictObject({ confirm_url: z.string().nullable() }),
    },
    refuses: atChange,
    async handle(call) {
      const { account, body, requestId, refuse } = call;
      const open = await billing();
      if (!open) return refuse('off');
      const { amount_due: amountDue, proration_date: prorationDate, ...plan } = body;
      const shown = amountDue === null || prorationDate === null ? null : { amountDue, prorationDate };
      const outcome = await changePlan(open, { userId: account.id, plan, requestId, shown });
      if (!outcome.ok && !(await isChanged(call, plan))) return refuse(outcome.code);
      const confirmUrl = outcome.ok ? outcome.confirmUrl : null;
      return { data: await planOf(call, plan.product), meta: { confirm_url: confirmUrl } };
    },
  }),
  endpoint({
    method: 'POST',
    path: `${subscriptionsPath}/cancel`,
    name: 'cancelSubscription',
    ...actOnSubscription(cancelSubscription),
  }),
  endpoint({
    method: 'POST',
    path: `${subscriptionsPath}/resume`,
    name: 'resumeSubscription',
    ...actOnSubscription(resumeSubscription),
  }),
];
