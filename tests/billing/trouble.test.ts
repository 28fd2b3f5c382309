import { eq } from 'drizzle-orm';
import Stripe from 'stripe';
import { expect, test, vi } from 'vitest';
import { cancelSubscription } from '#billing/cancel-subscription.ts';
import { fetchSubscriptions } from '#billing/fetch-subscriptions.ts';
import { findStripeFaults } from '#billing/find-stripe-faults.ts';
import { handleEvents } from '#billing/handle-events.ts';
import { receiveWebhook } from '#billing/receive-webhook.ts';
import { runRound } from '#billing/run-round.ts';
import { setUpStripe } from '#billing/set-up-stripe.ts';
import { factsOf } from '#billing/subscription-facts.ts';
import { stripeEvents } from '#db/schema/billing.ts';
import { mails } from '#db/schema/outbox.ts';
import { newId } from '#domain/kernel/id.ts';
import { day } from '#domain/kernel/time.ts';
import { limitsOf } from '#domain/plan/limits-of.ts';
import { listLiveRules } from '#domain/rule/fitting-rules.ts';
import { nothingPaid } from '#domain/subscription/paid-until.ts';
import { addRule, addStreamer, START_MS } from '#tests/support/fixtures.ts';
import { storeFacts } from '#tests/support/subscribing.ts';
import {
  alarms,
  atStripe,
  billing,
  changeTo,
  checkoutUrl,
  customerOf,
  db,
  fetchAgain,
  handleAll,
  setBillingStage,
  storedOf,
  streamer,
  streamerBasic,
  stripe,
  subscribe,
  withoutTrials,
} from './stage.ts';

setBillingStage();

const signal = new AbortController().signal;
const asked = (product: 'streamer' | 'viewer' = 'streamer') => ({
  userId: streamer.userId,
  product,
  requestId: newId(START_MS),
});
const limits = (nowMs = billing.now()) => limitsOf(db.read, streamer.userId, nowMs);
const mailsOf = async (template: string) =>
  (await db.read.select().from(mails).where(eq(mails.template, template))).length;
const sign = (body: string, secret: string, timestamp = Math.floor(Date.now() / 1000)) =>
  Stripe.webhooks.generateTestHeaderStringAsync({ payload: body, secret, timestamp });
const eventOf = (facts: object = {}) =>
  JSON.stringify({
    id: 'evt_foreign',
    object: 'event',
    type: 'invoice.paid',
    data: { object: { object: 'invoice', id: 'in_1', customer: 'cus_foreign' } },
    ...facts,
  });

test('Case 12: an event of a foreign customer, or of a type we do not use, is taken and changes nothing', async () => {
  const secret = billing.settings.webhookSecret ?? '';
  for (const body of [eventOf(), eventOf({ id: 'evt_unused', type: 'payout.created' })])
    expect(await receiveWebhook(billing, { body, signature: await sign(body, secret) })).toEqual({
      ok: true,
      isNew: true,
    });
  const body = eventOf();
  expect(await receiveWebhook(billing, { body, signature: await sign(body, secret) })).toEqual({
    ok: true,
    isNew: false,
  });
  await handleEvents(billing, signal);
  const events = await db.read.select().from(stripeEvents);
  expect(events.map(({ handledAtMs }) => handledAtMs !== null)).toEqual([true, true]);
});

test('Webhooks that arrive together are committed together, and one delivered twice at once is stored once', async () => {
  const secret = billing.settings.webhookSecret ?? '';
  let commits = 0;
  const counted: typeof db = {
    ...db,
    transaction: (decide, options) => {
      commits += 1;
      return db.transaction(decide, options);
    },
  };
  const receive = async (id: string) => {
    const body = eventOf({ id });
    return receiveWebhook({ ...billing, db: counted }, { body, signature: await sign(body, secret) });
  };
  const outcomes = await Promise.all(['evt_a', 'evt_b', 'evt_a', 'evt_c'].map(receive));
  expect(outcomes).toEqual([true, true, false, true].map((isNew) => ({ ok: true, isNew })));
  expect(commits).toBe(1);
  expect(await db.read.$count(stripeEvents)).toBe(3);
  expect(await receive('evt_b')).toEqual({ ok: true, isNew: false });
});

test('A webhook whose event cannot be stored is not acknowledged', async () => {
  const failing: typeof db = { ...db, transaction: () => Promise.reject(new Error('disk full')) };
  const [body, secret] = [eventOf(), billing.settings.webhookSecret ?? ''];
  const webhook = { body, signature: await sign(body, secret) };
  await expect(receiveWebhook({ ...billing, db: failing }, webhook)).rejects.toThrow('disk full');
  expect(await receiveWebhook(billing, webhook)).toEqual({ ok: true, isNew: true });
});

test.each([
  ['forged', async (body: string, secret: string) => (await sign(body, secret)).replace(/v1=./, 'v1=x')],
  ['old', (body: string, secret: string) => sign(body, secret, Math.floor(Date.now() / 1000) - 301)],
  ['of another account', (body: string) => sign(body, 'whsec_of_another_account')],
  ['missing', async () => ''],
])('A webhook whose signature is %s is refused and stored nowhere', async (_, signed) => {
  const body = eventOf();
  const signature = await signed(body, billing.settings.webhookSecret ?? '');
  expect(await receiveWebhook(billing, { body, signature })).toEqual({ ok: false, code: 'forged' });
  expect(await db.read.select().from(stripeEvents)).toEqual([]);
});

test('A body that was altered after signing is refused', async () => {
  const signature = await sign(eventOf(), billing.settings.webhookSecret ?? '');
  const body = eventOf().replace('cus_foreign', 'cus_other');
  expect(await receiveWebhook(billing, { body, signature })).toEqual({ ok: false, code: 'forged' });
});

test.each([
  ['none', { automatic_tax: { enabled: false } }],
  ['stripe', { automatic_tax: { enabled: true } }],
  ['managed', { managed_payments: { enabled: true }, automatic_tax: { enabled: false } }],
] as const)('Case 13: tax follows the operator’s switch: %s', async (tax, session) => {
  billing.settings.tax = tax;
  const url = await checkoutUrl(streamer, streamerBasic);
  const id = /cs_test_\w+/.exec(url)?.[0] ?? '';
  expect(await stripe.stripe.checkout.sessions.retrieve(id)).toMatchObject(session);
});

test('Case 13: where Stripe sells in its own name it takes a subscription to its end, and every change of plan', async () => {
  billing.settings.tax = 'managed';
  await subscribe(await withoutTrials(streamer), streamerBasic);
  expect(await atStripe(streamer)).toMatchObject([{ managed_payments: { enabled: true }, status: 'active' }]);
  expect(await changeTo(streamer, { ...streamerBasic, tier: 'pro' })).toMatchObject({ ok: true });
  expect(await changeTo(streamer, streamerBasic)).toMatchObject({ ok: true, change: { when: 'later' } });
  stripe.advanceDays(32);
  await handleAll();
  expect(await storedOf(streamer)).toMatchObject([{ tier: 'basic', state: 'active' }]);
});

test('Case 13: a product without a tax code is named by the check where Stripe sells it, and mended', async () => {
  const { portalConfiguration } = await setUpStripe(billing);
  Object.assign(billing.settings, { portalConfiguration, tax: 'managed' });
  const { data: products } = await stripe.stripe.products.list();
  const basic = products.find(({ metadata }) => metadata.keepsake_plan === 'streamer_basic');
  await stripe.stripe.products.update(basic?.id ?? '', { tax_code: '' });
  await expect(checkoutUrl(streamer, streamerBasic)).rejects.toThrow('refused');
  const what = 'the product Streamer premium Basic has no tax code';
  expect(await findStripeFaults(billing)).toEqual([{ name: 'stripeTaxCodeMissing', what }]);
  expect((await setUpStripe(billing)).done).toEqual([
    'product Streamer premium Basic: has the tax code txcd_10103000 now',
  ]);
  expect(await findStripeFaults(billing)).toEqual([]);
  expect(await checkoutUrl(streamer, streamerBasic)).toMatch(/^http/);
});

test('Case 14: prices in another currency than the instance’s are named by the check', async () => {
  const { portalConfiguration } = await setUpStripe(billing);
  const settings = { ...billing.settings, currency: 'eur' as const, portalConfiguration };
  const faults = await findStripeFaults({ ...billing, settings });
  expect(faults).toHaveLength(12);
  const what = 'price keepsake_streamer_basic_month is in usd, but STRIPE_CURRENCY is eur';
  expect(faults[0]).toEqual({ name: 'stripePriceDiffers', what });
});

test('Case 15: the setup is idempotent, and finds and mends what has drifted', async () => {
  const first = await setUpStripe(billing);
  expect(first.webhookSecret).toMatch(/^whsec_/);
  expect(await setUpStripe(billing)).toMatchObject({
    done: [],
    portalConfiguration: first.portalConfiguration,
  });
  billing.settings.portalConfiguration = first.portalConfiguration;
  expect(await findStripeFaults(billing)).toEqual([]);
  await stripe.stripe.billingPortal.configurations.update(first.portalConfiguration, {
    features: { subscription_cancel: { enabled: true, mode: 'immediately' } },
  });
  const url = new URL('/webhooks/stripe', billing.publicUrl).href;
  const endpoints = await stripe.stripe.webhookEndpoints.list();
  const endpoint = endpoints.data.find((each) => each.url === url);
  await stripe.stripe.webhookEndpoints.update(endpoint?.id ?? '', { disabled: true });
  expect((await findStripeFaults(billing)).map(({ what }) => what)).toEqual([
    'the portal cancels at once, not at the end of the period',
    'the webhook endpoint is disabled',
  ]);
  expect((await setUpStripe(billing)).done).toHaveLength(2);
  expect(await findStripeFaults(billing)).toEqual([]);
});

test('The means of payment in the dashboard are compared with STRIPE_DEBITS, by the setup and the check', async () => {
  const { portalConfiguration, toDo } = await setUpStripe(billing);
  expect(toDo).toEqual([]);
  billing.settings.portalConfiguration = portalConfiguration;
  billing.settings.debits = true;
  const off =
    'STRIPE_DEBITS is on, but us_bank_account is off under Settings → Payment methods in the Stripe dashboard, so Checkout does not offer it';
  expect(await findStripeFaults(billing)).toEqual([{ name: 'stripeMethodsDiffer', what: off }]);
  expect((await setUpStripe(billing)).toDo).toEqual([off]);
  stripe.world.choose({ debits: true });
  const names = async () => (await findStripeFaults(billing)).map(({ what }) => what.split(' under ')[0]);
  expect(await names()).toEqual([]);
  billing.settings.debits = false;
  expect(await names()).toEqual(['STRIPE_DEBITS is off, but us_bank_account is on']);
  // A restricted key without the right.
  stripe.world.faults.failNext({ answer: 403, path: '/v1/payment_method_configurations', times: 1 });
  expect((await findStripeFaults(billing)).map(({ name }) => name)).toEqual(['stripeMethodsUnreadable']);
});

test('A renewal that fails leaves seven days of grace; a payment within them recovers the plan', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  stripe.world.orderPaymentTrouble(await customerOf(streamer), { outcome: 'declined', times: 1 });
  stripe.advanceDays(31.2);
  await handleAll();
  // A renewal is charged an hour after the period has begun.
  const failedAtMs = Date.UTC(2026, 1, 5, 13);
  expect(await storedOf(streamer)).toMatchObject([
    { state: 'grace', graceUntilMs: failedAtMs + 7 * day, failedAtMs },
  ]);
  expect(await limits()).toMatchObject({ rules: 5 });
  expect(await mailsOf('paymentFailed')).toBe(1);
  stripe.advanceDays(4);
  await handleAll();
  expect(await storedOf(streamer)).toMatchObject([{ state: 'active', graceUntilMs: null }]);
});

test('A renewal that stays unpaid ends the plan after the grace period, and Stripe charges no more', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  stripe.world.orderPaymentTrouble(await customerOf(streamer), { outcome: 'declined', times: 100 });
  stripe.advanceDays(31.2);
  await handleAll();
  stripe.advanceDays(7);
  expect(await limits()).toMatchObject({ rules: 1 });
  await runRound(billing, signal);
  expect((await atStripe(streamer)).map(({ status }) => status)).toEqual(['canceled']);
  expect(await storedOf(streamer)).toMatchObject([{ state: 'ended' }]);
});

test('A status that Stripe has invented since keeps the plan and raises an alarm', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  const [stored] = Object.values(stripe.world.state.objects.subscription);
  stripe.world.transaction(() => Object.assign(stored ?? {}, { status: 'on_parole' }));
  await fetchAgain(streamer);
  expect(await storedOf(streamer)).toMatchObject([{ state: 'active', problem: 'unknownStatus' }]);
  await fetchAgain(streamer);
  expect(await mailsOf('subscriptionUnreadable')).toBe(1);
  expect(await limits()).toMatchObject({ rules: 5 });
  expect(alarms).toContain('a subscription is unreadable; its plan stays as it was');
});

test('Somebody who paid for an account that was deleted meanwhile gets the money back', async () => {
  const other = await withoutTrials(await addStreamer(db));
  await subscribe(other, streamerBasic);
  const { users } = await import('#db/schema/user.ts');
  await db.transaction((tx) =>
    tx.update(users).set({ deletedAtMs: START_MS }).where(eq(users.id, other.userId)),
  );
  await fetchAgain(other);
  expect((await atStripe(other)).map(({ status }) => status)).toEqual(['canceled']);
  expect((await stripe.stripe.refunds.list()).data.map(({ amount }) => amount)).toEqual([499]);
});

test('Stripe being down delays what has changed and stops no round halfway', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  await cancelSubscription(billing, asked());
  stripe.world.faults.failNext({ answer: 503, path: '/v1/events', times: 10 });
  expect(await runRound(billing, signal)).toBe(false);
  expect(await limits()).toMatchObject({ rules: 5 });
  stripe.world.faults.failNext({ answer: 503, path: '/v1/subscriptions', times: 3 });
  await db.transaction((tx) =>
    tx.insert(stripeEvents).values({
      id: 'evt_late',
      type: 'invoice.paid',
      customerId: null,
      objectId: null,
      receivedAtMs: Date.now(),
    }),
  );
  expect(await handleEvents(billing, signal)).toBe(1);
});

test('A fetch fits the rules even if the one that stored the change was stopped before it could', async () => {
  await subscribe(streamer, streamerBasic);
  for (let n = 0; n < 3; n++) await addRule(db, streamer, { rewards: 0 });
  const [subscription] = await atStripe(streamer);
  const ended = await stripe.stripe.subscriptions.cancel(subscription?.id ?? '');
  await storeFacts(db, streamer, [factsOf(ended, { paid: nothingPaid, upcoming: null })], billing.now());
  await fetchAgain(streamer);
  const live = await listLiveRules(db.read, streamer.userId);
  expect(live.map(({ pauseReason }) => pauseReason)).toEqual([null, 'overLimit', 'overLimit']);
});

test('While another process may do the work, Stripe is asked for nothing', async () => {
  await subscribe(streamer, streamerBasic);
  const asked = vi.spyOn(billing.stripe.subscriptions, 'list');
  const idle = { ...billing, mayAsk: () => false };
  expect(await fetchSubscriptions(idle, await customerOf(streamer))).toEqual({
    ok: false,
    code: 'unavailable',
  });
  expect(asked).not.toHaveBeenCalled();
});
