import { expect, test } from 'vitest';
import { finishCheckout } from '#billing/finish-checkout.ts';
import { startCheckout } from '#billing/start-checkout.ts';
import { getAccount } from '#domain/account/get-account.ts';
import { addStreamer } from '#tests/support/fixtures.ts';
import {
  atStripe,
  billing,
  checkoutUrl,
  daysLater,
  db,
  sessionIdOf,
  setBillingStage,
  storedOf,
  streamer,
  streamerBasic,
  stripe,
  subscribe,
  viewerPro,
} from './stage.ts';

setBillingStage();

test('A streamer subscribes with a trial and has the plan at once', async () => {
  expect(await subscribe(streamer, streamerBasic)).toEqual({ ok: true, end: 'subscribed' });
  expect(await storedOf(streamer)).toMatchObject([
    { ...streamerBasic, state: 'trialing', trialUntilMs: daysLater(7), problem: null },
  ]);
});

test('A plan is sold by the year as well', async () => {
  await subscribe(streamer, { ...streamerBasic, period: 'year' });
  expect(await storedOf(streamer)).toMatchObject([{ period: 'year', state: 'trialing' }]);
});

test('Both products are held at once', async () => {
  await subscribe(streamer, streamerBasic);
  await subscribe(streamer, viewerPro);
  const stored = await storedOf(streamer);
  expect(stored.map(({ product }) => product).sort()).toEqual(['streamer', 'viewer']);
});

test('A declined card leaves the checkout open and nobody subscribed', async () => {
  const url = await checkoutUrl(streamer, streamerBasic);
  await stripe.visit(url, { card: '4000000000000002' });
  const end = await finishCheckout(billing, { userId: streamer.userId, sessionId: sessionIdOf(url) });
  expect(end).toEqual({ ok: true, end: 'open' });
  expect(await storedOf(streamer)).toEqual([]);
});

test('The address of another user’s checkout finishes nothing', async () => {
  const url = await checkoutUrl(streamer, streamerBasic);
  const other = await addStreamer(db);
  await checkoutUrl(other, streamerBasic);
  expect(await finishCheckout(billing, { userId: other.userId, sessionId: sessionIdOf(url) })).toEqual({
    ok: false,
    code: 'notFound',
  });
});

test('Pressing twice, also at once, leads to one session and one customer', async () => {
  const account = await getAccount(db, streamer);
  const start = () => startCheckout(billing, { user: account ?? expect.fail(), plan: streamerBasic });
  const [first, second] = await Promise.all([start(), start()]);
  expect(first).toMatchObject({ ok: true });
  expect(second).toEqual(first);
  expect(await start()).toEqual(first);
  expect(await atStripe(streamer)).toEqual([]);
});

test('While Stripe is silent nothing is bought, and nobody is promised anything', async () => {
  const account = (await getAccount(db, streamer)) ?? expect.fail();
  await stripe.server.close();
  const refused = await startCheckout(billing, { user: account, plan: streamerBasic });
  expect(refused).toEqual({ ok: false, code: 'unavailable' });
});
