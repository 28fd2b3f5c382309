import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { cancelSubscription, endAllBilling, resumeSubscription } from '#billing/cancel-subscription.ts';
import { changePlan, previewChange } from '#billing/change-plan.ts';
import { runRound } from '#billing/run-round.ts';
import { startCheckout } from '#billing/start-checkout.ts';
import { mails } from '#db/schema/outbox.ts';
import { rules } from '#db/schema/rule.ts';
import { deleteAccount } from '#domain/account/delete-account.ts';
import { getAccount } from '#domain/account/get-account.ts';
import { newId } from '#domain/kernel/id.ts';
import { limitsOf } from '#domain/plan/limits-of.ts';
import { listEventsDue } from '#domain/subscription/event-inbox.ts';
import { createVault } from '#platform/vault.ts';
import { addRule, START_MS } from '#tests/support/fixtures.ts';
import {
  alarms,
  atStripe,
  billing,
  changeTo,
  checkoutUrl,
  customerOf,
  daysLater,
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

const signal = new AbortController().signal;
const streamerPro = { ...streamerBasic, tier: 'pro' } as const;
const asked = (product: 'streamer' | 'viewer' = 'streamer') => ({
  userId: streamer.userId,
  product,
  requestId: newId(START_MS),
});
const limits = (nowMs = billing.now()) => limitsOf(db.read, streamer.userId, nowMs);
const mailsOf = async (template: string) =>
  (await db.read.select().from(mails).where(eq(mails.template, template))).length;
const paidBy = async (customer: string) => {
  const { data } = await stripe.stripe.invoices.list({ customer });
  return data.reduce((sum, { amount_paid: paid }) => sum + paid, 0);
};
/** Pays a second subscription past our checkout, as two tabs or a mistake at Stripe would. */
async function subscribeElsewhere(lookupKey: string) {
  const customer = await customerOf(streamer);
  const { data } = await stripe.stripe.prices.list({ lookup_keys: [lookupKey] });
  const session = await stripe.checkout(customer, data[0]?.id ?? '');
  await stripe.visit(String(session.url), { card: goodCard });
  return customer;
}

test('Case 1: return page, webhook and daily round store the same, by one fetch of all subscriptions', async () => {
  const url = await checkoutUrl(streamer, streamerBasic);
  // The customer exists before anything is paid.
  expect(await customerOf(streamer)).toMatch(/^cus_/);
  await stripe.visit(url, { card: goodCard });
  expect(await storedOf(streamer)).toEqual([]);
  await handleAll();
  const byEvents = await storedOf(streamer);
  expect(byEvents).toHaveLength(1);
  await fetchAgain(streamer);
  stripe.advanceDays(1);
  await runRound(billing, signal);
  expect(await storedOf(streamer)).toEqual(byEvents);
  await subscribe(streamer, viewerPro);
  expect(await storedOf(streamer)).toHaveLength(2);
});

test('Events that no webhook brought are stored at once, and warned of once a webhook would have come', async () => {
  const warning = 'stored events that no webhook had brought';
  await stripe.visit(await checkoutUrl(streamer, streamerBasic), { card: goodCard });
  await runRound(billing, signal);
  expect(await listEventsDue(db, Date.now(), 100)).not.toEqual([]);
  expect(alarms).not.toContain(warning);
  await stripe.visit(await checkoutUrl(streamer, viewerPro), { card: goodCard });
  stripe.clock.advance(61_000);
  await runRound(billing, signal);
  expect(alarms).toContain(warning);
});

test('Case 2: a second subscription of a product is cancelled and refunded, and the first one stays', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  stripe.clock.advance(1000);
  const customer = await subscribeElsewhere('keepsake_streamer_pro_month');
  await fetchAgain(streamer);
  const subscriptions = await atStripe(streamer);
  expect(subscriptions.map(({ status }) => status)).toEqual(['canceled', 'active']);
  expect((await storedOf(streamer)).filter(({ state }) => state !== 'ended')).toMatchObject([streamerBasic]);
  const { data: refunds } = await stripe.stripe.refunds.list();
  expect(refunds.map(({ amount }) => amount)).toEqual([3999]);
  await fetchAgain(streamer);
  expect((await stripe.stripe.refunds.list()).data).toHaveLength(1);
  expect(await paidBy(customer)).toBe(499 + 3999);
});

test('Case 3: an abandoned checkout blocks nothing, and a change of plan makes no second subscription', async () => {
  await withoutTrials(streamer);
  const abandoned = await checkoutUrl(streamer, streamerBasic);
  const other = await checkoutUrl(streamer, streamerPro);
  expect(other).not.toBe(abandoned);
  expect((await stripe.visit(abandoned)).text).toContain('expired');
  await checkoutUrl(streamer, streamerBasic);
  await subscribe(streamer, streamerBasic);
  const account = (await getAccount(db, streamer)) ?? expect.fail();
  expect(await startCheckout(billing, { user: account, plan: streamerPro })).toEqual({
    ok: false,
    code: 'alreadySubscribed',
  });
  expect(await changeTo(streamer, { ...streamerBasic, period: 'year' })).toMatchObject({ ok: true });
  expect(await changeTo(streamer, { ...streamerPro, period: 'year' })).toMatchObject({ ok: true });
  expect(await atStripe(streamer)).toHaveLength(1);
  expect(await storedOf(streamer)).toMatchObject([{ tier: 'pro', period: 'year', state: 'active' }]);
});

test('Case 3: a checkout that ran out unused frees its trial', async () => {
  await checkoutUrl(streamer, streamerBasic);
  stripe.advanceDays(1);
  await runRound(billing, signal);
  await subscribe(streamer, streamerBasic);
  expect(await storedOf(streamer)).toMatchObject([{ state: 'trialing' }]);
});

test('Case 4: a trial is given once per Twitch id and product, also to another account', async () => {
  await subscribe(streamer, streamerBasic);
  await cancelSubscription(billing, asked());
  stripe.advanceDays(8);
  await fetchAgain(streamer);
  expect(await storedOf(streamer)).toMatchObject([{ state: 'ended' }]);
  const again = await checkoutUrl(streamer, streamerBasic);
  expect((await stripe.visit(again)).text).not.toContain('Start your trial');
  // The other product has a trial of its own.
  expect((await stripe.visit(await checkoutUrl(streamer, viewerPro))).text).toContain('Start your trial');
});

test('Case 5: a cancellation in the portal sets cancel_at alone, and counts as ending; keeping undoes it', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  const [subscription] = await atStripe(streamer);
  const end = subscription?.items.data[0]?.current_period_end ?? 0;
  await stripe.stripe.subscriptions.update(subscription?.id ?? '', { cancel_at: end });
  await fetchAgain(streamer);
  expect(await storedOf(streamer)).toMatchObject([{ state: 'ending', endsAtMs: end * 1000 }]);
  expect(await resumeSubscription(billing, asked())).toMatchObject({ ok: true });
  expect(await storedOf(streamer)).toMatchObject([{ state: 'active', endsAtMs: null }]);
  await cancelSubscription(billing, asked());
  expect(await storedOf(streamer)).toMatchObject([{ state: 'ending', endsAtMs: end * 1000 }]);
  await resumeSubscription(billing, asked());
  expect(await storedOf(streamer)).toMatchObject([{ state: 'active', endsAtMs: null }]);
});

test('Case 6: an upgrade that the bank wants to confirm keeps the plan, and leads to the page that confirms it', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  stripe.world.orderPaymentTrouble(await customerOf(streamer), { outcome: 'authenticate', times: 1 });
  const changed = await changeTo(streamer, streamerPro);
  if (!changed.ok || !('confirmUrl' in changed)) throw new Error('the upgrade was refused');
  const { confirmUrl } = changed;
  expect(confirmUrl).toMatch(/^http/);
  expect(await storedOf(streamer)).toMatchObject([{ tier: 'basic', state: 'active' }]);
  const invoice = (await atStripe(streamer))[0]?.latest_invoice;
  const payments = await stripe.stripe.invoicePayments.list({ invoice: String(invoice) });
  const intent = String(payments.data[0]?.payment.payment_intent);
  await stripe.visit(`${stripe.server.url}/challenge/${intent}?back=/i/${invoice}`, { answer: 'confirm' });
  await handleAll();
  expect(await storedOf(streamer)).toMatchObject([{ tier: 'pro', state: 'active' }]);
});

test('Case 7: what was shown is what is charged, to the cent, also minutes later; anything else is refused', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  stripe.advanceDays(10);
  const userId = streamer.userId;
  const preview = await previewChange(billing, { userId, plan: streamerPro });
  if (!preview.ok || preview.change.when !== 'now') throw new Error('no preview');
  stripe.clock.advance(10 * 60_000);
  const shown = preview.change;
  const requestId = newId(START_MS);
  const more = { ...shown, amountDue: shown.amountDue - 1 };
  expect(await changePlan(billing, { userId, plan: streamerPro, requestId, shown: more })).toEqual({
    ok: false,
    code: 'amountChanged',
  });
  const customer = await customerOf(streamer);
  const before = await paidBy(customer);
  await changePlan(billing, { userId, plan: streamerPro, requestId, shown });
  expect((await paidBy(customer)) - before).toBe(shown.amountDue);
  expect(shown.amountDue).toBeGreaterThan(0);
  stripe.advanceDays(1);
  const old = {
    userId,
    plan: { ...streamerPro, period: 'year' } as const,
    requestId: newId(START_MS),
    shown,
  };
  expect(await changePlan(billing, old)).toMatchObject({ ok: false, code: 'amountChanged' });
});

test('Case 8: usage resets every month, also under a yearly plan', async () => {
  await subscribe(await withoutTrials(streamer), { ...streamerPro, period: 'year' });
  const { rewardsMonth } = await limits(daysLater(40));
  expect(rewardsMonth.startsAtMs).toBe(Date.UTC(2026, 1, 5, 12));
  expect(rewardsMonth.resetsAtMs).toBe(Date.UTC(2026, 2, 5, 12));
});

test('Case 9: a smaller plan starts when what was paid for ends; then the rules over its limit pause, newest first', async () => {
  await subscribe(await withoutTrials(streamer), { ...streamerBasic, tier: 'expert' });
  for (let n = 0; n < 6; n++) await addRule(db, streamer, { rewards: 0 });
  expect(await changeTo(streamer, streamerBasic)).toMatchObject({ ok: true, change: { when: 'later' } });
  expect(await storedOf(streamer)).toMatchObject([{ tier: 'expert', nextTier: 'basic' }]);
  expect(await limits()).toMatchObject({ rules: 20 });
  stripe.advanceDays(32);
  await handleAll();
  expect(await storedOf(streamer)).toMatchObject([{ tier: 'basic', nextTier: null, state: 'active' }]);
  const stored = await db.read.select().from(rules).orderBy(rules.id);
  expect(stored.map(({ pauseReason }) => pauseReason)).toEqual([null, null, null, null, null, 'overLimit']);
  expect(await changeTo(streamer, streamerPro)).toMatchObject({ ok: true });
  const after = await db.read.select().from(rules).orderBy(rules.id);
  expect(after.map(({ state }) => state)).toEqual(Array(6).fill('open'));
});

test('Case 9: a smaller plan that was chosen can be taken back', async () => {
  await subscribe(await withoutTrials(streamer), streamerPro);
  await changeTo(streamer, streamerBasic);
  await resumeSubscription(billing, asked());
  expect(await storedOf(streamer)).toMatchObject([{ tier: 'pro', nextTier: null }]);
  stripe.advanceDays(32);
  await fetchAgain(streamer);
  expect(await storedOf(streamer)).toMatchObject([{ tier: 'pro', state: 'active' }]);
});

test('Case 10: an account is deleted only after Stripe has confirmed that nothing can be charged any more', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  const { email } = (await getAccount(db, streamer)) ?? expect.fail();
  const leave = () =>
    deleteAccount(
      db,
      { vault: createVault(Buffer.alloc(32).toString('base64')), userId: streamer.userId, proof: email },
      START_MS,
    );
  expect(await leave()).toEqual({ ok: false, code: 'subscriptionLive' });
  stripe.world.faults.failNext({ answer: 503, path: '/v1/subscriptions', times: 10 });
  expect(await endAllBilling(billing, streamer.userId)).toEqual({ ok: false, code: 'unavailable' });
  expect(await leave()).toEqual({ ok: false, code: 'subscriptionLive' });
});

test('Case 10: once everything has ended the account may go', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  const open = await checkoutUrl(streamer, viewerPro);
  expect(await endAllBilling(billing, streamer.userId)).toMatchObject({ ok: true });
  expect((await atStripe(streamer)).map(({ status }) => status)).toEqual(['canceled']);
  expect((await stripe.visit(open)).text).toContain('expired');
  // Nothing is charged any more; paid time would go on.
  expect((await storedOf(streamer)).map(({ state }) => state)).toEqual(['covered']);
});

test('Case 11: a dispute ends the plan and notifies the operator once', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic, '4000000000000259');
  await handleAll();
  expect(await storedOf(streamer)).toMatchObject([{ state: 'ended' }]);
  expect(await limits()).toMatchObject({ rules: 1 });
  expect(await mailsOf('paymentReversed')).toBe(1);
  await handleAll();
  expect(await mailsOf('paymentReversed')).toBe(1);
});

test('Case 11: a full refund ends the plan, a partial one does not', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  const [subscription] = await atStripe(streamer);
  const payments = await stripe.stripe.invoicePayments.list({
    invoice: String(subscription?.latest_invoice),
  });
  const payment_intent = String(payments.data[0]?.payment.payment_intent);
  await stripe.stripe.refunds.create({ payment_intent, amount: 100 });
  await handleAll();
  expect(await storedOf(streamer)).toMatchObject([{ state: 'active' }]);
  await stripe.stripe.refunds.create({ payment_intent });
  await handleAll();
  expect(await storedOf(streamer)).toMatchObject([{ state: 'ended' }]);
  expect(await mailsOf('paymentReversed')).toBe(1);
});
