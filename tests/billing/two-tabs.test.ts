import { eq } from 'drizzle-orm';
import { expect, test, vi } from 'vitest';
import { startCheckout } from '#billing/start-checkout.ts';
import { checkouts, stripeCustomers } from '#db/schema/billing.ts';
import { getAccount } from '#domain/account/get-account.ts';
import { minute } from '#domain/kernel/time.ts';
import { expireCheckout, openCheckout } from '#domain/subscription/open-checkout.ts';
import {
  billing,
  checkoutUrl,
  db,
  fetchAgain,
  goodCard,
  setBillingStage,
  storedOf,
  streamer,
  streamerBasic,
  stripe,
} from './stage.ts';

setBillingStage();

const streamerPro = { ...streamerBasic, tier: 'pro' } as const;
const openSessions = async () =>
  (await stripe.stripe.checkout.sessions.list()).data.filter(({ status }) => status === 'open');

test('A page whose checkout was closed meanwhile is never shown: one page can be paid', async () => {
  const account = (await getAccount(db, streamer)) ?? expect.fail();
  const { sessions } = billing.stripe.checkout;
  const create = sessions.create.bind(sessions);
  let other: string | null = null;
  vi.spyOn(sessions, 'create').mockImplementationOnce(async (...params) => {
    const made = await create(...params);
    other = await checkoutUrl(streamer, streamerPro);
    return made;
  });
  const started = await startCheckout(billing, { user: account, plan: streamerBasic });
  const open = await openSessions();
  expect(open).toHaveLength(1);
  expect(started).toEqual({ ok: true, url: open[0]?.url });
  expect(other).not.toBe(open[0]?.url);
});

test('A trial that was taken on a page that had been closed here is used up', async () => {
  const url = await checkoutUrl(streamer, streamerBasic);
  const [checkout] = await db.read.select().from(checkouts);
  await expireCheckout(db, checkout?.id ?? '');
  await stripe.visit(url, { card: goodCard });
  await fetchAgain(streamer);
  const [subscription] = await storedOf(streamer);
  expect(subscription).toMatchObject({ state: 'trialing' });
  await stripe.stripe.subscriptions.cancel(subscription?.id ?? '');
  await fetchAgain(streamer);
  const again = await checkoutUrl(streamer, streamerBasic);
  expect((await stripe.visit(again)).text).not.toContain('Start your trial');
});

test('A fault that Stripe repeats under its key keeps nobody from buying for a day', async () => {
  const account = (await getAccount(db, streamer)) ?? expect.fail();
  const start = () => startCheckout(billing, { user: account, plan: streamerBasic });
  await start();
  const { state } = stripe.world;
  const fault = JSON.stringify({ error: { type: 'api_error', message: 'An unknown error occurred' } });
  for (const [key, answer] of Object.entries(state.answers))
    if (key.startsWith('customer-')) state.answers[key] = { ...answer, status: 500, body: fault };
  await db.transaction((tx) => tx.delete(stripeCustomers));
  expect(await start()).toEqual({ ok: false, code: 'unavailable' });
  stripe.clock.advance(15 * minute);
  expect(await start()).toMatchObject({ ok: true });
});

test('A checkout for which Stripe never answered makes room for another after some minutes', async () => {
  const plan = { userId: streamer.userId, plan: streamerBasic };
  const first = await openCheckout(db, plan, billing.now());
  expect(await openCheckout(db, plan, billing.now() + minute)).toEqual(first);
  const later = await openCheckout(db, plan, billing.now() + 6 * minute);
  expect(later).toMatchObject({ ok: false, code: 'otherOpen' });
  stripe.clock.advance(6 * minute);
  const url = await checkoutUrl(streamer, streamerBasic);
  const rows = await db.read.select().from(checkouts).where(eq(checkouts.userId, streamer.userId));
  expect(rows.map(({ state }) => state).sort()).toEqual(['expired', 'open']);
  expect((await stripe.visit(url)).text).toContain('Start your trial');
});
