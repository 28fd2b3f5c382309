import { expect, onTestFinished, test, vi } from 'vitest';
import { subscriptionView } from '#app/services/billing/subscription-view.server.ts';
import { priceIdOf } from '#billing/prices.ts';
import { setUpCatalogue } from '#billing/set-up-stripe.ts';
import { hour } from '#domain/kernel/time.ts';
import { limitsOf } from '#domain/plan/limits-of.ts';
import { findSubscription } from '#domain/subscription/find-subscription.ts';
import { holdTime, passTime, stepHostClock } from '#tests/support/passing-time.ts';
import {
  atStripe,
  billing,
  changeTo,
  customerOf,
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
const streamerExpert = { ...streamerBasic, tier: 'expert' } as const;

async function paid(): Promise<number[]> {
  const { data } = await stripe.stripe.invoices.list({ customer: await customerOf(streamer) });
  return data.map(({ amount_paid: amount }) => amount).filter((amount) => amount > 0);
}

const shown = async () => {
  const live = await findSubscription(db.read, { userId: streamer.userId, product: 'streamer' });
  if (!live) throw new Error('nothing is stored');
  return subscriptionView(live, billing.settings);
};

test('A trial becomes a paid plan when it ends: charged once, and paid for from that day on', async () => {
  await subscribe(streamer, streamerBasic);
  expect(await storedOf(streamer)).toMatchObject([{ state: 'trialing', trialUntilMs: daysLater(7) }]);
  expect(await shown()).toMatchObject({ nextCharge: { amount: 499, atMs: daysLater(7) } });
  expect(await paid()).toEqual([]);
  stripe.advanceDays(7.25);
  await handleAll();
  expect(await paid()).toEqual([499]);
  expect(await storedOf(streamer)).toMatchObject([
    {
      ...streamerBasic,
      state: 'active',
      trialUntilMs: null,
      periodStartMs: daysLater(7),
      anchorMs: daysLater(7),
    },
  ]);
  expect(await limitsOf(db.read, streamer.userId, billing.now())).toMatchObject({ rules: 5 });
});

test('A trial whose first payment fails is in grace from the hour it failed, and Free after that', async () => {
  await subscribe(streamer, streamerBasic);
  stripe.world.orderPaymentTrouble(await customerOf(streamer), { outcome: 'declined', times: 100 });
  stripe.advanceDays(7.25);
  await handleAll();
  expect(await storedOf(streamer)).toMatchObject([{ state: 'grace', graceUntilMs: daysLater(14) + hour }]);
  expect(await limitsOf(db.read, streamer.userId, daysLater(14))).toMatchObject({ rules: 5 });
  expect(await limitsOf(db.read, streamer.userId, daysLater(14) + hour)).toMatchObject({ rules: 1 });
});

test.each([
  ['a larger plan', streamerPro, 3999],
  ['the same plan by the year', { ...streamerBasic, period: 'year' } as const, 4790],
])('During a trial %s starts at once and charges nothing before the trial ends', async (_, plan, price) => {
  await subscribe(streamer, streamerBasic);
  stripe.advanceDays(2);
  const changed = await changeTo(streamer, plan);
  expect(changed).toMatchObject({ ok: true, change: { when: 'now', amountDue: 0 } });
  expect(await storedOf(streamer)).toMatchObject([
    { ...plan, state: 'trialing', trialUntilMs: daysLater(7) },
  ]);
  expect(await paid()).toEqual([]);
  stripe.advanceDays(5.25);
  await handleAll();
  expect(await paid()).toEqual([price]);
  expect(await storedOf(streamer)).toMatchObject([{ ...plan, state: 'active' }]);
});

test('Who pays an older price goes on paying it, and is shown it', async () => {
  const key = 'keepsake_streamer_basic_month';
  const { data } = await stripe.stripe.prices.list({ lookup_keys: [key] });
  const [today] = data;
  await stripe.stripe.prices.create({
    product: String(today?.product),
    currency: 'usd',
    unit_amount: 399,
    recurring: { interval: 'month' },
    lookup_key: key,
    transfer_lookup_key: true,
    metadata: today?.metadata ?? {},
  });
  await subscribe(await withoutTrials(streamer), streamerBasic);
  // The setup puts today's price in its place, for those who come after.
  expect(await setUpCatalogue(billing)).toHaveLength(1);
  await fetchAgain(streamer);
  expect(await shown()).toMatchObject({
    price: 399,
    currency: 'usd',
    nextCharge: { amount: 399, isTaxed: false },
  });
  stripe.advanceDays(31.25);
  await handleAll();
  expect(await paid()).toEqual([399, 399]);
  expect(await atStripe(streamer)).toHaveLength(1);
});

test('The prices are read again after an hour, whatever is done to the clock', async () => {
  holdTime();
  onTestFinished(() => void vi.useRealTimers());
  const list = vi.fn(async () => ({
    data: [{ id: 'price_1', lookup_key: 'keepsake_streamer_basic_month' }],
  }));
  const asked = { stripe: { prices: { list } } } as unknown as typeof billing;
  await priceIdOf(asked, streamerBasic);
  const perReading = list.mock.calls.length;
  for (const hours of [9, -12]) {
    stepHostClock(hours * hour);
    await priceIdOf(asked, streamerBasic);
  }
  passTime(hour - 1);
  await priceIdOf(asked, streamerBasic);
  expect(list).toHaveBeenCalledTimes(perReading);
  passTime(1);
  await priceIdOf(asked, streamerBasic);
  expect(list).toHaveBeenCalledTimes(2 * perReading);
});

test('With a smaller plan to come, the next charge is that one’s', async () => {
  await subscribe(await withoutTrials(streamer), streamerPro);
  await changeTo(streamer, streamerExpert);
  expect(await storedOf(streamer)).toMatchObject([{ price: 3999, nextTier: 'expert', nextPrice: 1499 }]);
  expect(await shown()).toMatchObject({ price: 3999, nextCharge: { amount: 1499 } });
  stripe.advanceDays(31.25);
  await handleAll();
  expect(await paid()).toEqual([1499, 3999]);
  expect(await storedOf(streamer)).toMatchObject([{ price: 1499, nextPrice: null }]);
});
