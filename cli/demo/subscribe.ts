import { type Billing, openBilling } from '#billing/billing.ts';
import { finishCheckout } from '#billing/finish-checkout.ts';
import { setUpStripe } from '#billing/set-up-stripe.ts';
import { startCheckout } from '#billing/start-checkout.ts';
import type { Database } from '#db/database.ts';
import { getAccount } from '#domain/account/get-account.ts';
import type { Plan } from '#domain/plan/plans.ts';
import { findSubscription } from '#domain/subscription/find-subscription.ts';
import { openClock } from '#platform/clock.ts';
import { readConfiguration } from '#platform/configuration.ts';
import { billingSettingsOf, billingVariables } from '#platform/shared-variables.ts';

interface Buyer {
  userId: string;
  plan: Plan;
}

/**
 * The streamer's is large enough for everything that a newcomer tries, and still has an upgrade left. The first viewer,
 * whom the README follows, gets mails about rewards, which Free leaves out; all others are on Free.
 */
const streamerPlan: Plan = { product: 'streamer', tier: 'expert', period: 'month' };
const firstViewerPlan: Plan = { product: 'viewer', tier: 'basic', period: 'month' };
/** https://docs.stripe.com/testing */
const demoCard = '4242424242424242';

interface Around {
  db: Database;
  environment: Record<string, string | undefined>;
  publicUrl: string;
}

/** Sets the account at Stripe up, as `stripe:setup` would. Returns the settings that follow. */
export async function setUpDemoStripe(around: Around): Promise<Record<string, string>> {
  return (
    (await withBilling(around, async (billing) => {
      const { portalConfiguration } = await setUpStripe(billing);
      return { STRIPE_PORTAL_CONFIGURATION: portalConfiguration };
    })) ?? {}
  );
}

/**
 * Subscribes the demo's streamer and first viewer by paying on Stripe's page as people would, while the product listens to
 * the webhooks that follow. Doing it again changes nothing.
 */
export async function sellDemoPlans(
  around: Around,
  { streamer, viewer }: { streamer: string; viewer: string },
): Promise<void> {
  await withBilling(around, async (billing) => {
    await subscribe(billing, { userId: streamer, plan: streamerPlan });
    await subscribe(billing, { userId: viewer, plan: firstViewerPlan });
  });
}

/** Does the work that needs Stripe; null without its settings. */
async function withBilling<T>(around: Around, act: (billing: Billing) => Promise<T>): Promise<T | null> {
  const read = readConfiguration(billingVariables, around.environment);
  const settings = read.ok ? billingSettingsOf(read.values) : null;
  if (!settings) return null;
  const clock = await openClock(around.environment.KEEPSAKE_CLOCK_URL);
  const billing = openBilling({
    settings,
    db: around.db,
    publicUrl: new URL(around.publicUrl),
    operatorEmail: null,
    now: clock.now,
    log: { info() {}, warn: console.warn, error: console.error },
  });
  try {
    return await act(billing);
  } finally {
    clock.stop();
  }
}

async function subscribe(billing: Billing, { userId, plan }: Buyer): Promise<void> {
  if (await findSubscription(billing.db.read, { userId, product: plan.product })) return;
  const user = await getAccount(billing.db, { userId });
  if (!user) throw new Error(`no user ${userId}`);
  const started = await startCheckout(billing, { user, plan });
  if (!started.ok) throw new Error(`a person of the demo could not subscribe: ${started.code}`);
  const body = new URLSearchParams({ card: demoCard });
  await fetch(started.url, { method: 'POST', body, redirect: 'manual' });
  const sessionId = /cs_\w+/.exec(started.url)?.[0] ?? '';
  const finished = await finishCheckout(billing, { userId, sessionId });
  if (!finished.ok || finished.end !== 'subscribed')
    throw new Error('a person of the demo paid and has no subscription');
}
