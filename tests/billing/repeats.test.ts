import Stripe from 'stripe';
import { expect, test, vi } from 'vitest';
import { cancelSubscription, resumeSubscription } from '#billing/cancel-subscription.ts';
import { changePlan, previewChange } from '#billing/change-plan.ts';
import { newId } from '#domain/kernel/id.ts';
import { START_MS } from '#tests/support/fixtures.ts';
import {
  atStripe,
  billing,
  customerOf,
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
const asked = () => ({ userId: streamer.userId, product: 'streamer', requestId: newId(START_MS) }) as const;

/** From its n-th list on Stripe no longer says which subscriptions there are. */
function loseLists(from = 1): void {
  const { subscriptions } = billing.stripe;
  const list = subscriptions.list.bind(subscriptions);
  let asks = 0;
  vi.spyOn(subscriptions, 'list').mockImplementation((...params) => {
    asks++;
    if (asks >= from) throw new Stripe.errors.StripeConnectionError({ message: 'no answer' } as never);
    return list(...params);
  });
}

async function previewPro() {
  const preview = await previewChange(billing, { userId: streamer.userId, plan: streamerPro });
  if (!preview.ok || preview.change.when !== 'now') throw new Error('no preview');
  return { userId: streamer.userId, plan: streamerPro, requestId: newId(START_MS), shown: preview.change };
}

test('Cancelling while a late payment has just come keeps what was paid for', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  stripe.world.orderPaymentTrouble(await customerOf(streamer), { outcome: 'declined', times: 1 });
  stripe.advanceDays(31.2);
  await handleAll();
  expect(await storedOf(streamer)).toMatchObject([{ state: 'grace' }]);
  stripe.advanceDays(4);
  expect(await cancelSubscription(billing, asked())).toMatchObject({ ok: true });
  expect(await atStripe(streamer)).toMatchObject([{ status: 'active', cancel_at_period_end: true }]);
  expect(await storedOf(streamer)).toMatchObject([{ state: 'ending' }]);
});

test('Cancelling in grace ends at once', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  stripe.world.orderPaymentTrouble(await customerOf(streamer), { outcome: 'declined', times: 100 });
  stripe.advanceDays(31.2);
  await handleAll();
  expect(await cancelSubscription(billing, asked())).toMatchObject({ ok: true });
  expect(await storedOf(streamer)).toMatchObject([{ state: 'ended' }]);
});

test('A change that Stripe has charged is done although Stripe is silent afterwards', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  const change = await previewPro();
  loseLists();
  expect(await changePlan(billing, change)).toEqual({ ok: true, confirmUrl: null });
  vi.restoreAllMocks();
  await handleAll();
  expect(await storedOf(streamer)).toMatchObject([{ tier: 'pro' }]);
});

test('The page where a payment is confirmed is reached although Stripe is silent afterwards', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  stripe.world.orderPaymentTrouble(await customerOf(streamer), { outcome: 'authenticate', times: 1 });
  const change = await previewPro();
  loseLists();
  expect(await changePlan(billing, change)).toEqual({ ok: true, confirmUrl: expect.stringMatching(/^http/) });
});

test('A cancellation that Stripe has taken is done although Stripe is silent afterwards', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  loseLists(2);
  expect(await cancelSubscription(billing, asked())).toMatchObject({ ok: true });
  vi.restoreAllMocks();
  await handleAll();
  expect(await storedOf(streamer)).toMatchObject([{ state: 'ending' }]);
});

test('An old form cancels again what was taken back since', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  const form = asked();
  await cancelSubscription(billing, form);
  await resumeSubscription(billing, asked());
  expect(await storedOf(streamer)).toMatchObject([{ state: 'active' }]);
  expect(await cancelSubscription(billing, form)).toMatchObject({ ok: true });
  expect(await storedOf(streamer)).toMatchObject([{ state: 'ending' }]);
});

test('An old form plans the smaller plan again that was taken back since', async () => {
  await subscribe(await withoutTrials(streamer), streamerPro);
  const form = { userId: streamer.userId, plan: streamerBasic, requestId: newId(START_MS), shown: null };
  expect(await changePlan(billing, form)).toMatchObject({ ok: true });
  await resumeSubscription(billing, asked());
  expect(await storedOf(streamer)).toMatchObject([{ nextTier: null }]);
  expect(await changePlan(billing, form)).toMatchObject({ ok: true });
  expect(await storedOf(streamer)).toMatchObject([{ tier: 'pro', nextTier: 'basic' }]);
});

test('A smaller plan whose schedule was left without phases is planned by the same form', async () => {
  await subscribe(await withoutTrials(streamer), streamerPro);
  const form = { userId: streamer.userId, plan: streamerBasic, requestId: newId(START_MS), shown: null };
  const path = '/v1/subscription_schedules/';
  stripe.world.faults.failNext({ answer: 503, path, method: 'POST', times: 3 });
  expect(await changePlan(billing, form)).toEqual({ ok: false, code: 'unavailable' });
  expect(await changePlan(billing, form)).toMatchObject({ ok: true });
  expect(await storedOf(streamer)).toMatchObject([{ tier: 'pro', nextTier: 'basic' }]);
});
