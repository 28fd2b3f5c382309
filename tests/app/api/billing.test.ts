import { afterAll, expect, test } from 'vitest';
import { database } from '#app/services/database.server.ts';
import { fetchSubscriptions } from '#billing/fetch-subscriptions.ts';
import { setUpStripe } from '#billing/set-up-stripe.ts';
import { newId } from '#domain/kernel/id.ts';
import { findCustomerId } from '#domain/subscription/stripe-customer.ts';
import { buy, sellingBilling, setSellingWeb } from '../support/selling.ts';
import { visitorOf } from '../support/signed-in.ts';

const close = await setSellingWeb();
afterAll(close);

// Some modules read the configuration when they are loaded, so they are imported after it is set.
const { holdToken, streamer } = await import('./support/people.ts');
const { honestCalls, sellingCalls } = await import('./support/honest-calls.ts');
const { table } = await import('#app/api/table.server.ts');
const { loader } = await import('#app/routes/billing/billing.tsx');

const path = '/api/v1/subscriptions';
const basic = { product: 'streamer', tier: 'basic', period: 'month' } as const;
const pro = { ...basic, tier: 'pro' } as const;

test('Whoever buys by the API is sent to one page at Stripe, however often they ask', async () => {
  const { app, userId } = await streamer();
  const [first, second] = [
    await app.post(`${path}/checkout`, { json: basic }),
    await app.post(`${path}/checkout`, { json: basic }),
  ];
  const { url } = first.body.data.attributes;
  expect(second.body.data.attributes.url).toBe(url);
  expect(url).toMatch(/cs_test_\w+/);
  await buy({ userId }, basic);
  expect((await app.post(`${path}/checkout`, { json: basic })).codes).toEqual(['alreadySubscribed']);
});

test('A plan is changed for exactly the amount of its preview, once', async () => {
  const { app, userId } = await streamer();
  await buy({ userId }, basic);
  const preview = (await app.post(`${path}/change-preview`, { json: pro })).body.data.attributes;
  expect(preview).toMatchObject({ ...pro, when: 'now', currency: 'usd' });
  const shown = { amount_due: preview.amount_due, proration_date: preview.proration_date };
  const wrong = { ...pro, ...shown, amount_due: shown.amount_due + 1 };
  expect((await app.post(`${path}/change`, { json: wrong })).codes).toEqual(['amountChanged']);
  expect((await app.post(`${path}/change`, { json: pro })).codes).toEqual(['amountChanged']);
  const headers = { 'Idempotency-Key': newId(Date.now()) };
  for (let sent = 0; sent < 2; sent++) {
    const { body } = await app.post(`${path}/change`, { json: { ...pro, ...shown }, headers });
    expect(body).toMatchObject({ data: { attributes: { tier: 'pro' } }, meta: { confirm_url: null } });
  }
  expect((await app.post(`${path}/change-preview`, { json: pro })).codes).toEqual(['samePlan']);
});

test('A plan is cancelled, kept again, and its page at Stripe opens, also for a token', async () => {
  const person = await streamer();
  await buy(person, basic);
  const app = await holdToken(person);
  const json = { product: 'streamer' };
  for (let sent = 0; sent < 2; sent++)
    expect((await app.post(`${path}/cancel`, { json })).body.data.attributes.state).toBe('ending');
  for (let sent = 0; sent < 2; sent++)
    expect((await app.post(`${path}/resume`, { json })).body.data.attributes.state).not.toBe('ending');
  const open = await sellingBilling();
  const { portalConfiguration } = await setUpStripe(open);
  Object.assign(open.settings, { portalConfiguration });
  expect((await app.post(`${path}/portal`)).body.data.attributes.url).toMatch(/^http/);
});

test('What is paid for after its subscription has ended is said by the page and by the API alike', async () => {
  const person = await streamer();
  await buy(person, { product: 'viewer', tier: 'pro', period: 'month' });
  const { stripe } = await sellingBilling();
  const customerId = (await findCustomerId((await database()).read, person.userId)) ?? '';
  const [bought] = (await stripe.subscriptions.list({ customer: customerId })).data;
  await stripe.subscriptions.update(bought?.id ?? '', { trial_end: 'now' });
  await stripe.subscriptions.cancel(bought?.id ?? '');
  await fetchSubscriptions(await sellingBilling(), customerId);
  const app = await holdToken(person);
  const listed = (await app.get(path)).body.data.map(({ attributes }: { attributes: object }) => attributes);
  expect(listed).toMatchObject([
    { product: 'streamer', state: 'free', tier: 'free', ends_at: null },
    { product: 'viewer', state: 'covered', tier: 'pro', price: null, next_charge: null },
  ]);
  const { overview } = (await (await visitorOf(person.userId)).call(loader, '/billing')).body;
  expect(overview.subscriptions).toEqual([]);
  expect(overview.covered).toMatchObject([
    { product: 'viewer', tier: 'pro', endsAtMs: Date.parse(listed[1].ends_at) },
  ]);
});

test('A plan says what will be charged next and when, or that payments are paused', async () => {
  const person = await streamer();
  await buy(person, basic);
  const app = await holdToken(person);
  const shown = async () => (await app.get(path)).body.data[0].attributes;
  expect(await shown()).toMatchObject({ next_charge: 499, payments_paused: false, payment_under_way: false });
  const { stripe } = await sellingBilling();
  const customerId = (await findCustomerId((await database()).read, person.userId)) ?? '';
  const [bought] = (await stripe.subscriptions.list({ customer: customerId })).data;
  await stripe.subscriptions.update(bought?.id ?? '', { pause_collection: { behavior: 'void' } });
  await fetchSubscriptions(await sellingBilling(), customerId);
  const paused = { next_charge: null, next_billing_at: null, payments_paused: true, paused_until: null };
  expect(await shown()).toMatchObject({ state: 'trialing', ...paused });
});

test.each(['cancel', 'resume', 'portal'])('Without a subscription, %s is refused', async (act) => {
  const { app } = await streamer();
  const sent = act === 'portal' ? {} : { json: { product: 'viewer' } };
  expect((await app.post(`${path}/${act}`, sent)).codes).toEqual(['notSubscribed']);
});

test.each([
  ['checkout', { ...basic, tier: 'free' }, '/tier', 'choice'],
  ['checkout', { product: 'streamer', tier: 'basic' }, '/period', 'choice'],
  ['change', { ...basic, amount_due: '5' }, '/amount_due', 'invalid'],
  ['cancel', { product: 'all' }, '/product', 'choice'],
])('%s with %j points at what is wrong', async (act, json, pointer, code) => {
  const { app } = await streamer();
  const { status, body } = await app.post(`${path}/${act}`, { json });
  expect(status).toBe(422);
  expect(body.errors).toMatchObject([{ source: { pointer }, code }]);
});

const sending = sellingCalls.filter((name) => table.find((row) => row.name === name)?.method === 'POST');

test.each(sending)('%s refuses a field that it does not know', async (name) => {
  const person = await streamer();
  const row = table.find((each) => each.name === name);
  const { json } = (await honestCalls[name]?.(person as never)) ?? {};
  const refused = await person.app.post(row?.path ?? '', { json: { ...json, customer: 'cus_1' } });
  expect(refused).toMatchObject({ status: 422, codes: ['unknownField'] });
});
