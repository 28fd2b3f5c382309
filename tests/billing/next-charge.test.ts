import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { cancelSubscription } from '#billing/cancel-subscription.ts';
import { mails } from '#db/schema/outbox.ts';
import { newId } from '#domain/kernel/id.ts';
import { addItem, chargeExtra, giveDiscount } from '#sandbox/stripe/dashboard.ts';
import { START_MS } from '#tests/support/fixtures.ts';
import {
  alarms,
  atStripe,
  billing,
  changeTo,
  daysLater,
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

const streamerPro = { ...streamerBasic, tier: 'pro' } as const;
const subscriptionId = async () => (await atStripe(streamer))[0]?.id ?? '';
const next = async () => {
  await fetchAgain(streamer);
  const [row] = await storedOf(streamer);
  return row?.nextCharge ?? null;
};
/** The amount that Stripe charges with the next invoice, once it has been charged. */
async function chargedNext() {
  const before = Object.keys(stripe.world.state.objects.invoice).length;
  for (let days = 0; days < 40; days++) {
    stripe.advanceDays(1);
    const invoices = Object.values(stripe.world.state.objects.invoice);
    const [made] = invoices.slice(before);
    if (made && made.status !== 'draft') return made.amount_due;
  }
  return null;
}

test.each([
  ['once', 499],
  ['forever', 374],
] as const)(
  'A discount that counts %s is in the next charge, and in the one after it as it should',
  async (duration, later) => {
    await subscribe(await withoutTrials(streamer), streamerBasic);
    giveDiscount(stripe.world, await subscriptionId(), { percent: 25, duration });
    expect(await next()).toBe(374);
    expect(await chargedNext()).toBe(374);
    expect(await next()).toBe(later);
    expect(await chargedNext()).toBe(later);
  },
);

test('An item of the operator, its part of this period, and a charge that waits are in the next charge', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  stripe.advanceDays(10);
  const id = await subscriptionId();
  addItem(stripe.world, id, { name: 'Support', amount: 300 });
  chargeExtra(stripe.world, id, { description: 'Moving help', amount: 700, isInvoicedNow: false });
  const charge = await next();
  expect(charge).toBeGreaterThan(499 + 300 + 700);
  expect(await chargedNext()).toBe(charge);
});

test("A credit on the customer's balance is taken off", async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  const [bought] = await atStripe(streamer);
  stripe.world.update('customer', String(bought?.customer), { balance: -150 });
  expect(await next()).toBe(349);
  expect(await chargedNext()).toBe(349);
});

test('A trial ends with a charge, and what a discount pays for is not announced as one', async () => {
  await subscribe(streamer, streamerBasic);
  expect(await storedOf(streamer)).toMatchObject([{ nextCharge: 499, nextChargeAtMs: daysLater(7) }]);
  giveDiscount(stripe.world, await subscriptionId(), { percent: 100, duration: 'forever' });
  stripe.advanceDays(5);
  expect(await next()).toBe(0);
  expect(await db.read.select().from(mails).where(eq(mails.template, 'trialEnds'))).toEqual([]);
});

test('The mail before a trial ends names what will be charged, with the discount', async () => {
  await subscribe(streamer, streamerBasic);
  giveDiscount(stripe.world, await subscriptionId(), { percent: 50, duration: 'once' });
  stripe.advanceDays(5);
  expect(await next()).toBe(249);
  const [mail] = await db.read.select().from(mails).where(eq(mails.template, 'trialEnds'));
  expect(mail?.values).toMatchObject({ price: '249' });
});

test('The smaller plan that is to follow is in the next charge, discounted as well', async () => {
  await subscribe(await withoutTrials(streamer), streamerPro);
  giveDiscount(stripe.world, await subscriptionId(), { percent: 50, duration: 'forever' });
  await changeTo(streamer, streamerBasic);
  expect(await next()).toBe(249);
  expect(await chargedNext()).toBe(249);
});

test('While payments are paused nothing is charged next, and the pause is stored until it ends', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  const id = await subscriptionId();
  const resumesAt = Math.floor(daysLater(45) / 1000);
  await stripe.stripe.subscriptions.update(id, {
    pause_collection: { behavior: 'void', resumes_at: resumesAt },
  });
  await handleAll();
  const paused = { state: 'active', nextCharge: null, isPaused: true, pausedUntilMs: daysLater(45) };
  expect(await storedOf(streamer)).toMatchObject([paused]);
  stripe.advanceDays(32);
  // It ends before the next invoice, which is charged again.
  expect(await next()).toBe(499);
  expect(await storedOf(streamer)).toMatchObject([{ isPaused: true }]);
  stripe.advanceDays(14);
  expect(await next()).toBe(499);
  expect(await storedOf(streamer)).toMatchObject([{ isPaused: false, pausedUntilMs: null }]);
});

test('A pause without an end charges nothing until it is taken back', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  const id = await subscriptionId();
  await stripe.stripe.subscriptions.update(id, { pause_collection: { behavior: 'keep_as_draft' } });
  expect(await next()).toBeNull();
  await stripe.stripe.subscriptions.update(id, { pause_collection: '' });
  expect(await next()).toBe(499);
});

test('What was cancelled is not charged again; what ends much later is', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  const asked = { userId: streamer.userId, product: 'streamer', requestId: newId(START_MS) } as const;
  await cancelSubscription(billing, asked);
  expect(await storedOf(streamer)).toMatchObject([{ state: 'ending', nextCharge: null }]);
  const id = await subscriptionId();
  await stripe.stripe.subscriptions.update(id, { cancel_at_period_end: false });
  await stripe.stripe.subscriptions.update(id, { cancel_at: Math.floor(daysLater(50) / 1000) });
  await handleAll();
  expect(await storedOf(streamer)).toMatchObject([{ state: 'ending', nextCharge: 499 }]);
});

test('A preview that Stripe refuses hides the amount and nothing else', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  stripe.world.faults.failNext({ answer: 400, path: '/v1/invoices/create_preview', times: 1 });
  expect(await next()).toBeNull();
  expect(await storedOf(streamer)).toMatchObject([{ state: 'active', tier: 'basic' }]);
  expect(alarms).toContain('Stripe does not tell what it will charge next');
  expect(await next()).toBe(499);
});

test.each([
  ['000123456789', { state: 'active', isPaymentUnderWay: false, failedAtMs: null }],
  ['000222222227', { state: 'grace', isPaymentUnderWay: false, failedAtMs: daysLater(4) }],
])('The first debit, of %s, is under way until events about its invoice end it', async (account, ended) => {
  stripe.world.choose({ debits: true });
  billing.settings.debits = true;
  await subscribe(await withoutTrials(streamer), streamerBasic, account);
  expect(await storedOf(streamer)).toMatchObject([{ state: 'active', isPaymentUnderWay: true }]);
  // None of the events that are asked for is about the checkout's late payment.
  stripe.advanceDays(5);
  await handleAll();
  expect(await storedOf(streamer)).toMatchObject([ended]);
});

test('The debit of a renewal is said as well', async () => {
  stripe.world.choose({ debits: true });
  billing.settings.debits = true;
  await subscribe(await withoutTrials(streamer), streamerBasic, '000123456789');
  stripe.advanceDays(5);
  await handleAll();
  stripe.advanceDays(27);
  await handleAll();
  expect(await storedOf(streamer)).toMatchObject([{ state: 'active', isPaymentUnderWay: true }]);
  stripe.advanceDays(5);
  await handleAll();
  expect(await storedOf(streamer)).toMatchObject([{ state: 'active', isPaymentUnderWay: false }]);
});
