import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { runRound } from '#billing/run-round.ts';
import { startCheckout } from '#billing/start-checkout.ts';
import { mails } from '#db/schema/outbox.ts';
import { getAccount } from '#domain/account/get-account.ts';
import { addItem } from '#sandbox/stripe/dashboard.ts';
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

const mailsOf = async (template: string) =>
  (await db.read.select().from(mails).where(eq(mails.template, template))).map(({ values }) => values);
const start = async (plan: typeof streamerBasic) => {
  const account = (await getAccount(db, streamer)) ?? expect.fail();
  return startCheckout(billing, { user: account, plan });
};
const addSupport = async () => {
  const [subscription] = await atStripe(streamer);
  const id = subscription?.id ?? '';
  stripe.world.transaction(() => addItem(stripe.world, id, { name: 'Support', amount: 250 }));
  return id;
};
/** A subscription of our customer to something that the operator sells by hand. */
async function buyUnknown(): Promise<void> {
  await checkoutUrl(streamer, streamerBasic);
  const { id: price } = await stripe.stripe.prices.create({
    product_data: { name: 'Streamer premium, as a favour' },
    currency: 'usd',
    unit_amount: 100,
    recurring: { interval: 'month' },
  });
  const session = await stripe.checkout(await customerOf(streamer), price);
  await stripe.visit(String(session.url), { card: goodCard });
}

test('A second item leaves the plan as it is, and the operator is told once', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  const id = await addSupport();
  await fetchAgain(streamer);
  expect(await storedOf(streamer)).toMatchObject([
    { ...streamerBasic, state: 'active', price: 499, problem: null },
  ]);
  for (const _ of [1, 2]) {
    stripe.advanceDays(1.2);
    await runRound(billing, new AbortController().signal);
  }
  expect(await mailsOf('subscriptionHasMore')).toEqual([{ subscription: id }]);
  expect(await mailsOf('subscriptionUnreadable')).toEqual([]);
});

test('With a second item the plan is changed, at once and later, and the other item stays', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  await addSupport();
  await fetchAgain(streamer);
  expect(await changeTo(streamer, { ...streamerBasic, tier: 'pro' })).toMatchObject({ ok: true });
  const amounts = async () =>
    (await atStripe(streamer))[0]?.items.data.map(({ price }) => price.unit_amount).sort();
  expect(await amounts()).toEqual([250, 3999]);
  expect(await changeTo(streamer, { ...streamerBasic, tier: 'expert' })).toMatchObject({ ok: true });
  stripe.advanceDays(32);
  await handleAll();
  expect(await amounts()).toEqual([1499, 250]);
  expect(await storedOf(streamer)).toMatchObject([{ tier: 'expert', price: 1499, state: 'active' }]);
});

test('Beside a subscription that cannot be read nothing is sold, and the operator is mailed once', async () => {
  await withoutTrials(streamer);
  await buyUnknown();
  expect(await start(streamerBasic)).toEqual({ ok: false, code: 'unreadable' });
  expect(await start(viewerPro)).toEqual({ ok: false, code: 'unreadable' });
  stripe.advanceDays(2);
  await fetchAgain(streamer);
  expect(await start(streamerBasic)).toEqual({ ok: false, code: 'unreadable' });
  expect(await mailsOf('subscriptionUnreadable')).toMatchObject([{ why: 'unknownPrice' }]);
  expect(await atStripe(streamer)).toHaveLength(1);
});

test('Once the operator has ended what could not be read, a plan is sold again', async () => {
  await withoutTrials(streamer);
  await buyUnknown();
  expect(await start(streamerBasic)).toMatchObject({ ok: false });
  const [odd] = await atStripe(streamer);
  await stripe.stripe.subscriptions.cancel(odd?.id ?? '');
  expect(await subscribe(streamer, streamerBasic)).toMatchObject({ ok: true, end: 'subscribed' });
});

test('A subscription that became unreadable keeps its product from being sold, and no other', async () => {
  await subscribe(await withoutTrials(streamer), streamerBasic);
  const [stored] = Object.values(stripe.world.state.objects.subscription);
  stripe.world.transaction(() => Object.assign(stored ?? {}, { status: 'on_parole' }));
  await fetchAgain(streamer);
  expect(await start(streamerBasic)).toEqual({ ok: false, code: 'alreadySubscribed' });
  expect(await start(viewerPro)).toMatchObject({ ok: true });
});
