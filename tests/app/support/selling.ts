import { billing } from '#app/services/billing/billing.server.ts';
import { database } from '#app/services/database.server.ts';
import type { Billing } from '#billing/billing.ts';
import { finishCheckout } from '#billing/finish-checkout.ts';
import { setUpCatalogue } from '#billing/set-up-stripe.ts';
import { startCheckout } from '#billing/start-checkout.ts';
import { getAccount } from '#domain/account/get-account.ts';
import type { Plan } from '#domain/plan/plans.ts';
import { sellPlans } from '#domain/subscription/sell-plans.ts';
import { openStripe, type StripeStage } from '#tests/sandbox/stripe/stage.ts';
import { setWeb } from './web.ts';

let stripe: StripeStage;

/** The Stripe of this test file. */
export const sandboxStripe = (): StripeStage => stripe;

/** Configures the web process of this test file as one that sells plans at a Stripe of its own; returns its end. */
export async function setSellingWeb(more: Record<string, string> = {}): Promise<() => Promise<void>> {
  stripe = await openStripe(() => Date.now());
  await setWeb({
    STRIPE_SECRET_KEY: stripe.world.state.secretKey,
    STRIPE_WEBHOOK_SECRET: stripe.world.state.secrets[stripe.endpoint.id] ?? '',
    STRIPE_API_URL: stripe.server.url,
    ...more,
  });
  await setUpCatalogue(await sellingBilling());
  await sellPlans(await database(), true, Date.now());
  return stripe.close;
}

export async function sellingBilling(): Promise<Billing> {
  const open = await billing();
  if (!open) throw new Error('this web process sells no plans');
  return open;
}

/** Buys a plan on Stripe's page, as its user would. */
export async function buy({ userId }: { userId: string }, plan: Plan): Promise<void> {
  const open = await sellingBilling();
  const user = await getAccount(await database(), { userId });
  if (!user) throw new Error('no account');
  const started = await startCheckout(open, { user, plan });
  if (!started.ok) throw new Error(`the checkout was refused: ${started.code}`);
  await stripe.visit(started.url, { card: '4242424242424242' });
  const [sessionId = ''] = /cs_test_\w+/.exec(started.url) ?? [];
  const finished = await finishCheckout(open, { userId, sessionId });
  if (!finished.ok || finished.end !== 'subscribed')
    throw new Error('the checkout did not end in a subscription');
}
