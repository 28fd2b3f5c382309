import { eq } from 'drizzle-orm';
import type Stripe from 'stripe';
import { afterEach, beforeEach } from 'vitest';
import { type Billing, openBilling } from '#billing/billing.ts';
import { changePlan, previewChange } from '#billing/change-plan.ts';
import { fetchSubscriptions } from '#billing/fetch-subscriptions.ts';
import { finishCheckout } from '#billing/finish-checkout.ts';
import { handleEvents, recoverEvents } from '#billing/handle-events.ts';
import { setUpCatalogue } from '#billing/set-up-stripe.ts';
import { startCheckout } from '#billing/start-checkout.ts';
import { products, subscriptions, trials } from '#db/schema/billing.ts';
import { getAccount } from '#domain/account/get-account.ts';
import { newId } from '#domain/kernel/id.ts';
import { day } from '#domain/kernel/time.ts';
import type { Plan } from '#domain/plan/plans.ts';
import { sellPlans } from '#domain/subscription/sell-plans.ts';
import { findCustomerId } from '#domain/subscription/stripe-customer.ts';
import { openStripe, type StripeStage } from '#tests/sandbox/stripe/stage.ts';
import { openTestDatabase, type TestDatabase } from '#tests/support/database.ts';
import { addStreamer, type Person, START_MS } from '#tests/support/fixtures.ts';

/** Cards of https://docs.stripe.com/testing. */
export const goodCard = '4242424242424242';

export const streamerBasic: Plan = { product: 'streamer', tier: 'basic', period: 'month' };
export const viewerPro: Plan = { product: 'viewer', tier: 'pro', period: 'month' };

/** An instance that sells plans, and its account at the sandbox's Stripe, which follows one clock. */
export let db: TestDatabase;
export let stripe: StripeStage;
export let billing: Billing;
export let streamer: Person;
/** The lines that were logged as an error or a warning. */
export let alarms: string[];

export function setBillingStage(): void {
  beforeEach(async () => {
    db = await openTestDatabase();
    stripe = await openStripe(START_MS);
    alarms = [];
    const alarm = (_: object, text: string) => void alarms.push(text);
    billing = openBilling({
      db,
      settings: {
        secretKey: stripe.world.state.secretKey,
        webhookSecret: stripe.world.state.secrets[stripe.endpoint.id] ?? '',
        apiUrl: new URL(stripe.server.url),
        currency: 'usd',
        tax: 'none',
        debits: false,
        portalConfiguration: null,
      },
      publicUrl: new URL('http://localhost:3000'),
      operatorEmail: 'operator@example.org',
      now: stripe.clock.now,
      log: { info: () => {}, warn: alarm, error: alarm },
    });
    await setUpCatalogue(billing);
    await sellPlans(db, true, START_MS);
    streamer = await addStreamer(db);
  });
  afterEach(async () => {
    await stripe.close();
    await db.close();
  });
}

/** Opens the checkout page of a plan; returns its address. */
export async function checkoutUrl(person: Person, plan: Plan): Promise<string> {
  const account = await getAccount(db, person);
  if (!account) throw new Error('no account');
  const started = await startCheckout(billing, { user: account, plan });
  if (!started.ok) throw new Error(`the checkout was refused: ${started.code}`);
  return started.url;
}

export const sessionIdOf = (url: string): string => {
  const id = /cs_test_\w+/.exec(url)?.[0];
  if (!id) throw new Error(`no session in ${url}`);
  return id;
};

/** Buys a plan: pays on Stripe's page and comes back. */
export async function subscribe(person: Person, plan: Plan, card = goodCard) {
  const url = await checkoutUrl(person, plan);
  await stripe.visit(url, { card });
  return finishCheckout(billing, { userId: person.userId, sessionId: sessionIdOf(url) });
}

export const customerOf = async ({ userId }: Person): Promise<string> =>
  (await findCustomerId(db.read, userId)) ?? '';

/** Fetches what Stripe has, as any event would. */
export const fetchAgain = async (person: Person) => fetchSubscriptions(billing, await customerOf(person));

export const storedOf = ({ userId }: Person) =>
  db.read
    .select()
    .from(subscriptions)
    .where(eq(subscriptions.userId, userId))
    .orderBy(subscriptions.createdAtMs);

export const atStripe = async (person: Person): Promise<Stripe.Subscription[]> => {
  const { data } = await stripe.stripe.subscriptions.list({
    customer: await customerOf(person),
    status: 'all',
  });
  return data;
};

/** Somebody who has had every trial, so that what they buy is paid at once. */
export async function withoutTrials(person: Person): Promise<Person> {
  await db.transaction((tx) =>
    tx.insert(trials).values(
      products.map((product) => ({
        twitchId: person.twitchId,
        product,
        checkoutId: `before-${person.userId}`,
        subscriptionId: 'sub_before',
        takenAtMs: START_MS,
      })),
    ),
  );
  return person;
}

/** Takes all events that Stripe has, as if their webhooks had come, and handles them. */
export async function handleAll(): Promise<void> {
  const recovered = await recoverEvents(billing);
  if (!recovered.ok) throw new Error(recovered.code);
  await handleEvents(billing, new AbortController().signal);
}

export const changeTo = async (person: Person, plan: Plan) => {
  const preview = await previewChange(billing, { userId: person.userId, plan });
  if (!preview.ok) return preview;
  const { change } = preview;
  const shown = change.when === 'now' ? change : null;
  const request = { userId: person.userId, plan, requestId: newId(START_MS), shown };
  const changed = await changePlan(billing, request);
  return { ...changed, change };
};

export const daysLater = (days: number): number => START_MS + days * day;
