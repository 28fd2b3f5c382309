import { type Billing, openBilling } from '#billing/billing.ts';
import { finishCheckout } from '#billing/finish-checkout.ts';
import { setUpCatalogue } from '#billing/set-up-stripe.ts';
import { startCheckout } from '#billing/start-checkout.ts';
import type { Database } from '#db/database.ts';
import { getAccount } from '#domain/account/get-account.ts';
import type { Plan } from '#domain/subscription/plans.ts';
import { openClock } from '#platform/clock.ts';
import { readConfiguration } from '#platform/configuration.ts';
import { billingSettingsOf, billingVariables } from '#platform/shared-variables.ts';

/** Large enough for everything that a newcomer tries, and still with an upgrade left. */
const demoPlan: Plan = { product: 'streamer', tier: 'expert', period: 'month' };
/** https://docs.stripe.com/testing */
const demoCard = '4242424242424242';

interface Around {
  database: Database;
  environment: Record<string, string | undefined>;
  publicUrl: string;
}

/** Fills the account at Stripe with the plans and subscribes the demo's streamer, by paying on Stripe's page as a person would. */
export async function subscribeStreamer(around: Around, userId: string): Promise<void> {
  const read = readConfiguration(billingVariables, around.environment);
  const settings = read.ok ? billingSettingsOf(read.values) : null;
  if (!settings) return;
  const clock = await openClock(around.environment.KEEPSAKE_CLOCK_URL);
  try {
    await pay(
      openBilling({
        settings,
        database: around.database,
        publicUrl: new URL(around.publicUrl),
        operatorEmail: null,
        now: clock.now,
        log: { info() {}, warn: console.warn, error: console.error },
      }),
      userId,
    );
  } finally {
    clock.stop();
  }
}

async function pay(billing: Billing, userId: string): Promise<void> {
  await setUpCatalogue(billing);
  const user = await getAccount(billing.database, { userId });
  if (!user) throw new Error(`no user ${userId}`);
  const started = await startCheckout(billing, { user, plan: demoPlan });
  if (!started.ok) {
    if (started.code === 'alreadySubscribed') return;
    throw new Error(`the demo's streamer could not subscribe: ${started.code}`);
  }
  await fetch(started.url, {
    method: 'POST',
    body: new URLSearchParams({ card: demoCard }),
    redirect: 'manual',
  });
  const sessionId = /cs_\w+/.exec(started.url)?.[0] ?? '';
  const finished = await finishCheckout(billing, { userId, sessionId });
  if (!finished.ok || finished.end !== 'subscribed')
    throw new Error("the demo's streamer paid and has no subscription");
}
