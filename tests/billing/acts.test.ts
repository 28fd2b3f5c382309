import { expect, test } from 'vitest';
import { cancelSubscription, endAllBilling } from '#billing/cancel-subscription.ts';
import { runRound } from '#billing/run-round.ts';
import { startCheckout } from '#billing/start-checkout.ts';
import { is } from '#db/dialect.ts';
import { type BillingActKind, billingActs } from '#db/schema/billing.ts';
import { getAccount } from '#domain/account/get-account.ts';
import { newId } from '#domain/kernel/id.ts';
import { minute } from '#domain/kernel/time.ts';
import { settleDebit } from '#sandbox/stripe/settle-debits.ts';
import { START_MS } from '#tests/support/fixtures.ts';
import {
  atStripe,
  billing,
  changeTo,
  checkoutUrl,
  customerOf,
  db,
  fetchAgain,
  goodCard,
  handleAll,
  setBillingStage,
  storedOf,
  streamer,
  streamerBasic,
  stripe,
  subscribe,
  viewerPro,
  withoutTrials,
} from './stage.ts';

setBillingStage();

const { signal } = new AbortController();
const streamerPro = { ...streamerBasic, tier: 'pro' } as const;
const asked = () => ({ userId: streamer.userId, product: 'streamer', requestId: newId(START_MS) }) as const;
/** The fault that Stripe repeats for a day under the key that met it. */
const breakNext = (path: string) => stripe.world.faults.failNext({ answer: 500, path, method: 'POST' });
const round = () => runRound(billing, signal);
const statuses = async () => (await atStripe(streamer)).map(({ status }) => status);
const invoiceStatuses = async () =>
  (await stripe.stripe.invoices.list({ customer: await customerOf(streamer) })).data.map(
    ({ status }) => status,
  );
const acts = (kind: BillingActKind) =>
  db.read
    .select({ state: billingActs.state, attempt: billingActs.attempt })
    .from(billingActs)
    .where(is(billingActs.kind, kind));

/** A renewal that stays unpaid until its grace is over. */
async function letGracePass(): Promise<void> {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  stripe.world.orderPaymentTrouble(await customerOf(streamer), { outcome: 'declined', times: 100 });
  stripe.advanceDays(31.2);
  await handleAll();
  stripe.advanceDays(7);
}

test('A fault that Stripe repeats while a schedule is released keeps nobody from cancelling for a day', async () => {
  await subscribe(await withoutTrials(streamer), streamerPro);
  expect(await changeTo(streamer, streamerBasic)).toMatchObject({ ok: true });
  breakNext('/v1/subscription_schedules/');
  expect(await cancelSubscription(billing, asked())).toEqual({ ok: false, code: 'unavailable' });
  stripe.clock.advance(minute);
  expect(await cancelSubscription(billing, asked())).toMatchObject({ ok: true });
  expect(await storedOf(streamer)).toMatchObject([{ tier: 'pro', state: 'ending', nextTier: null }]);
});

test('A fault that Stripe repeats for a refund delays it by minutes', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  stripe.clock.advance(1000);
  const { data } = await stripe.stripe.prices.list({ lookup_keys: ['keepsake_streamer_pro_month'] });
  const session = await stripe.checkout(await customerOf(streamer), data[0]?.id ?? '');
  await stripe.visit(String(session.url), { card: goodCard });
  breakNext('/v1/refunds');
  expect(await fetchAgain(streamer)).toEqual({ ok: false, code: 'unavailable' });
  stripe.clock.advance(2 * minute);
  await round();
  expect((await stripe.stripe.refunds.list()).data.map(({ amount }) => amount)).toEqual([3999]);
  expect(await statuses()).toEqual(['canceled', 'active']);
});

test('A fault that Stripe repeats for a checkout page keeps nobody from choosing another plan for a day', async () => {
  const account = (await getAccount(db, streamer)) ?? expect.fail();
  const first = await checkoutUrl(streamer, streamerBasic);
  breakNext('/v1/checkout/sessions/');
  const other = () => startCheckout(billing, { user: account, plan: streamerPro });
  expect(await other()).toEqual({ ok: false, code: 'unavailable' });
  stripe.clock.advance(minute);
  expect(await other()).toMatchObject({ ok: true });
  expect((await stripe.visit(first)).text).toContain('expired');
});

test('An invoice that could not be voided after its subscription was cancelled is voided later', async () => {
  await letGracePass();
  breakNext('/v1/invoices/in_');
  await round();
  expect(await statuses()).toEqual(['canceled']);
  expect(await invoiceStatuses()).toEqual(['open', 'paid']);
  stripe.clock.advance(2 * minute);
  await round();
  expect(await invoiceStatuses()).toEqual(['void', 'paid']);
  expect(await acts('void')).toEqual([{ state: 'done', attempt: 2 }]);
});

test.each([
  ['fails', 'void'],
  ['succeeds', 'paid'],
] as const)(
  'An invoice whose payment is under way is left alone until the bank has answered: it %s',
  async (ends, status) => {
    stripe.world.choose({ debits: true });
    billing.settings.debits = true;
    await subscribe(await withoutTrials(streamer), streamerBasic, '000123456789');
    expect(await endAllBilling(billing, streamer.userId)).toMatchObject({ ok: true });
    expect([await statuses(), await invoiceStatuses()]).toEqual([['canceled'], ['open']]);
    const [intent] = Object.keys(stripe.world.state.objects.payment_intent);
    stripe.world.transaction(() => settleDebit(stripe.world, intent ?? '', ends));
    stripe.advanceDays(0.3);
    await round();
    expect(await invoiceStatuses()).toEqual([status]);
    expect(await acts('void')).toEqual([{ state: 'done', attempt: 1 }]);
  },
);

test('What is paid before its subscription could be cancelled is not cancelled', async () => {
  await letGracePass();
  stripe.world.faults.failNext({ answer: 503, path: '/v1/subscriptions/', method: 'DELETE', times: 3 });
  await round();
  expect(await acts('cancel')).toEqual([{ state: 'due', attempt: 2 }]);
  const { data } = await stripe.stripe.invoices.list({ status: 'open' });
  stripe.world.orderPaymentTrouble(await customerOf(streamer), null);
  const method = (await stripe.stripe.paymentMethods.list({ customer: await customerOf(streamer) })).data[0];
  await stripe.stripe.invoices.pay(data[0]?.id ?? '', { payment_method: method?.id ?? '' });
  stripe.advanceDays(1);
  await round();
  expect(await acts('cancel')).toEqual([{ state: 'withdrawn', attempt: 2 }]);
  expect(await storedOf(streamer)).toMatchObject([{ state: 'active' }]);
});

test('What a process left behind that died before or after a call is done once, by the next round', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  const open = await checkoutUrl(streamer, viewerPro);
  const { subscriptions, checkout } = billing.stripe;
  const [cancel, expire] = [
    subscriptions.cancel.bind(subscriptions),
    checkout.sessions.expire.bind(checkout.sessions),
  ];
  checkout.sessions.expire = () => Promise.reject(new Error('died before the call'));
  await expect(endAllBilling(billing, streamer.userId)).rejects.toThrow('died');
  checkout.sessions.expire = expire;
  stripe.clock.advance(minute);
  await round();
  expect((await stripe.visit(open)).text).toContain('expired');
  subscriptions.cancel = async (...params: Parameters<typeof cancel>) => {
    await cancel(...params);
    throw new Error('died after the call');
  };
  await expect(endAllBilling(billing, streamer.userId)).rejects.toThrow('died');
  expect(await acts('cancel')).toEqual([{ state: 'due', attempt: 1 }]);
  subscriptions.cancel = cancel;
  await round();
  expect(await acts('cancel')).toEqual([{ state: 'done', attempt: 1 }]);
  expect(await statuses()).toEqual(['canceled']);
});
