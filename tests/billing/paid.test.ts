import { eq } from 'drizzle-orm';
import { expect, test, vi } from 'vitest';
import { cancelSubscription, resumeSubscription } from '#billing/cancel-subscription.ts';
import { runRound } from '#billing/run-round.ts';
import { mails } from '#db/schema/outbox.ts';
import { newId } from '#domain/kernel/id.ts';
import { limitsOf } from '#domain/plan/limits-of.ts';
import { chargeExtra } from '#sandbox/stripe/dashboard.ts';
import { disputeCharge, endInquiry } from '#sandbox/stripe/disputes.ts';
import { addStreamer, START_MS } from '#tests/support/fixtures.ts';
import {
  alarms,
  atStripe,
  billing,
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

const { signal } = new AbortController();
const operatorMails = async (template: string) =>
  (await db.read.select().from(mails).where(eq(mails.template, template))).map(({ values }) => values);
const charges = () => Object.values(stripe.world.state.objects.charge);
const rules = async () => (await limitsOf(db.read, streamer.userId, billing.now())).rules;

test('Who is cancelled at once in the dashboard keeps what was paid for, and may buy again', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  const [bought] = await atStripe(streamer);
  const endMs = Number(bought?.items.data[0]?.current_period_end) * 1000;
  stripe.advanceDays(10);
  await stripe.stripe.subscriptions.cancel(bought?.id ?? '');
  await handleAll();
  expect(await storedOf(streamer)).toMatchObject([{ state: 'covered', endsAtMs: endMs, paidUntilMs: endMs }]);
  expect(await rules()).toBe(5);
  await subscribe(streamer, { ...streamerBasic, tier: 'expert' });
  expect(await rules()).toBe(20);
  stripe.advanceDays(21);
  await handleAll();
  await fetchAgain(streamer);
  expect((await storedOf(streamer)).map(({ state }) => state)).toEqual(['ended', 'active']);
});

test('Who cancels a paid year while an extra charge is overdue keeps it to its end, and may keep it longer', async () => {
  await subscribe(await withoutTrials(streamer), { ...streamerBasic, period: 'year' });
  const [bought] = await atStripe(streamer);
  const endMs = Number(bought?.items.data[0]?.current_period_end) * 1000;
  stripe.advanceDays(200);
  stripe.world.orderPaymentTrouble(await customerOf(streamer), { outcome: 'declined', times: 100 });
  const poster = { description: 'A poster', amount: 250, isInvoicedNow: true };
  stripe.world.transaction(() => chargeExtra(stripe.world, bought?.id ?? '', poster));
  await handleAll();
  expect(await storedOf(streamer)).toMatchObject([{ state: 'grace', paidUntilMs: endMs }]);
  const asked = () => ({ userId: streamer.userId, product: 'streamer', requestId: newId(START_MS) }) as const;
  expect(await cancelSubscription(billing, asked())).toMatchObject({ ok: true });
  expect(await atStripe(streamer)).toMatchObject([{ status: 'past_due', cancel_at_period_end: true }]);
  expect(await storedOf(streamer)).toMatchObject([{ state: 'ending', endsAtMs: endMs }]);
  expect(await resumeSubscription(billing, asked())).toMatchObject({ ok: true });
  expect(await storedOf(streamer)).toMatchObject([{ state: 'grace', endsAtMs: null }]);
});

test('An inquiry takes nothing and is told once; when it becomes a dispute the plan ends, and won it is back', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  const { id } = disputeCharge(stripe.world, charges()[0]?.id ?? '', 'inquiry');
  await handleAll();
  await handleAll();
  expect(await storedOf(streamer)).toMatchObject([{ state: 'active' }]);
  expect((await operatorMails('paymentReversed')).map(({ why }) => why)).toEqual(['inquiry']);
  endInquiry(stripe.world, id, 'disputed');
  await handleAll();
  await fetchAgain(streamer);
  expect(await storedOf(streamer)).toMatchObject([{ state: 'ended', paidUntilMs: null }]);
  const { closeDispute } = await import('#sandbox/stripe/disputes.ts');
  closeDispute(stripe.world, id, 'won');
  await handleAll();
  expect(await storedOf(streamer)).toMatchObject([{ state: 'covered' }]);
  expect(await rules()).toBe(5);
});

test('A refund of a former period ends nothing, also if only the fetch finds it', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  const [first] = charges();
  stripe.advanceDays(32);
  await handleAll();
  await stripe.stripe.refunds.create({ charge: first?.id ?? '' });
  await handleAll();
  expect(await storedOf(streamer)).toMatchObject([{ state: 'active' }]);
  const [present] = charges().filter(({ id }) => id !== first?.id);
  await stripe.stripe.refunds.create({ charge: present?.id ?? '' });
  await fetchAgain(streamer);
  expect(await storedOf(streamer)).toMatchObject([{ state: 'ended' }]);
  expect((await operatorMails('paymentReversed')).map(({ why }) => why)).toEqual(['refund']);
});

test('A customer who was deleted at Stripe is replaced at the next purchase', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  const before = await customerOf(streamer);
  await stripe.stripe.customers.del(before);
  await handleAll();
  expect(await storedOf(streamer)).toMatchObject([{ state: 'covered' }]);
  expect(await checkoutUrl(streamer, streamerBasic)).toMatch(/^http/);
  expect(await customerOf(streamer)).not.toBe(before);
  expect(await subscribe(streamer, streamerBasic)).toMatchObject({ ok: true, end: 'subscribed' });
});

test('An answer that cannot be read about one customer stops the round for nobody, and is told once', async () => {
  const other = await addStreamer(db);
  await subscribe(await withoutTrials(streamer), streamerBasic);
  await subscribe(other, streamerBasic);
  const [bought] = await atStripe(other);
  await stripe.stripe.subscriptions.cancel(bought?.id ?? '');
  const odd = await customerOf(streamer);
  const { subscriptions } = billing.stripe;
  const list = subscriptions.list.bind(subscriptions);
  vi.spyOn(subscriptions, 'list').mockImplementation((params, ...rest) => {
    if (params && 'customer' in params && params.customer === odd) throw new TypeError('of an unknown shape');
    return list(params, ...rest);
  });
  stripe.advanceDays(2);
  expect(await runRound(billing, signal)).toBe(true);
  stripe.advanceDays(2);
  expect(await runRound(billing, signal)).toBe(true);
  expect(await storedOf(other)).toMatchObject([{ state: 'ended' }]);
  expect(await storedOf(streamer)).toMatchObject([{ state: 'active' }]);
  expect(await operatorMails('customerFailed')).toEqual([{ customer: odd }]);
  expect(alarms).toContain('a customer could not be worked on');
});
