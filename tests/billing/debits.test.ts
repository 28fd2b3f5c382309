import { expect, test } from 'vitest';
import { finishCheckout } from '#billing/finish-checkout.ts';
import { setUpCatalogue } from '#billing/set-up-stripe.ts';
import {
  atStripe,
  billing,
  changeTo,
  checkoutUrl,
  handleAll,
  sessionIdOf,
  setBillingStage,
  storedOf,
  streamer,
  streamerBasic,
  stripe,
  subscribe,
  withoutTrials,
} from './stage.ts';

setBillingStage();

const account = '000123456789';
const streamerPro = { ...streamerBasic, tier: 'pro' } as const;
const offered = async (url: string) =>
  (await stripe.stripe.checkout.sessions.retrieve(sessionIdOf(url))).payment_method_types;

test('Direct debits that the dashboard has switched on are not offered unless the operator allows them', async () => {
  stripe.world.choose({ debits: true });
  expect(await offered(await checkoutUrl(streamer, streamerBasic))).toEqual(['card']);
  billing.settings.debits = true;
  expect(await offered(await checkoutUrl(streamer, streamerPro))).toEqual(['card', 'us_bank_account']);
});

test('Each currency has its own kind of direct debit', async () => {
  stripe.world.choose({ debits: true });
  Object.assign(billing.settings, { debits: true, currency: 'eur' });
  await setUpCatalogue(billing);
  expect(await offered(await checkoutUrl(streamer, streamerBasic))).toEqual(['card', 'sepa_debit']);
});

test('Who pays by debit comes back while it is under way, and has the plan meanwhile', async () => {
  stripe.world.choose({ debits: true });
  billing.settings.debits = true;
  const returned = await subscribe(await withoutTrials(streamer), streamerBasic, account);
  expect(returned).toMatchObject({ ok: true, end: 'processing' });
  expect(await storedOf(streamer)).toMatchObject([{ tier: 'basic', state: 'active' }]);
  stripe.advanceDays(5);
  await handleAll();
  expect(await storedOf(streamer)).toMatchObject([{ tier: 'basic', state: 'active' }]);
  const [session] = (await stripe.stripe.checkout.sessions.list()).data;
  const again = await finishCheckout(billing, { userId: streamer.userId, sessionId: session?.id ?? '' });
  expect(again).toMatchObject({ ok: true, end: 'subscribed' });
});

test('A larger plan begins with the next payment for who pays by debit, and is charged then', async () => {
  stripe.world.choose({ debits: true });
  billing.settings.debits = true;
  await subscribe(await withoutTrials(streamer), streamerBasic, account);
  stripe.advanceDays(5);
  await handleAll();
  const changed = await changeTo(streamer, streamerPro);
  expect(changed).toMatchObject({ ok: true, change: { when: 'later', why: 'debit' } });
  expect(await storedOf(streamer)).toMatchObject([{ tier: 'basic', nextTier: 'pro', state: 'active' }]);
  stripe.advanceDays(31);
  await handleAll();
  expect(await storedOf(streamer)).toMatchObject([{ tier: 'pro', nextTier: null, state: 'active' }]);
  const [subscription] = await atStripe(streamer);
  const invoices = await stripe.stripe.invoices.list({ subscription: subscription?.id ?? '' });
  expect(invoices.data.map(({ amount_due }) => amount_due)).toEqual([3999, 499]);
});

test('During a trial a larger plan begins at once also for who will be debited', async () => {
  stripe.world.choose({ debits: true });
  billing.settings.debits = true;
  await subscribe(streamer, streamerBasic, account);
  expect(await changeTo(streamer, streamerPro)).toMatchObject({ ok: true, change: { when: 'now' } });
  expect(await storedOf(streamer)).toMatchObject([{ tier: 'pro', state: 'trialing' }]);
});
