import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { database } from '#app/services/database.server.ts';
import { fetchSubscriptions } from '#billing/fetch-subscriptions.ts';
import { hour, minute } from '#domain/kernel/time.ts';
import { findCustomerId } from '#domain/subscription/stripe-customer.ts';
import { holdTime, passTime, stepHostClock } from '#tests/support/passing-time.ts';
import { buy, sandboxStripe, sellingBilling, setSellingWeb } from './support/selling.ts';
import { visitorOf } from './support/signed-in.ts';

const close = await setSellingWeb();
afterAll(close);

// Some modules read the configuration when they are loaded, so they are imported after it is set.
const { loader } = await import('#app/routes/billing/billing.tsx');
const { holdToken, streamer } = await import('./api/support/people.ts');

const basic = { product: 'streamer', tier: 'basic', period: 'month' } as const;
const pro = { product: 'viewer', tier: 'pro', period: 'year' } as const;

/** Somebody with two charges, and their browser on the billing page. */
async function payer() {
  const person = await streamer();
  await buy(person, basic);
  await buy(person, pro);
  const visitor = await visitorOf(person.userId);
  return { person, open: (path = '/billing') => visitor.call(loader, path) };
}

test('The page and the API list the same charges', async () => {
  const { person, open } = await payer();
  const { status, body } = await open();
  expect([status, body.charges.next]).toEqual([200, null]);
  const bought = body.charges.rows.map((each: { bought: unknown[] }) => each.bought);
  expect(bought).toMatchObject([[{ plan: pro }], [{ plan: basic }]]);
  const app = await holdToken(person);
  const listed = (await app.get('/api/v1/charges')).body.data;
  expect(listed.map((each: { id: string }) => each.id)).toEqual(
    body.charges.rows.map((each: { id: string }) => each.id),
  );
  expect(listed[0].attributes).toMatchObject({ state: 'nothingDue', amount: 0, bought: [{ plan: pro }] });
});

test('Pages of the API lead through all charges, and a cursor of nobody is refused', async () => {
  const { person } = await payer();
  const app = await holdToken(person);
  const first = (await app.get('/api/v1/charges?page[size]=1')).body;
  const second = (await app.get(first.links.next)).body;
  const plans = [first, second].map(({ data }) => data[0].attributes.bought[0].plan.product);
  expect([plans, second.links.next]).toEqual([['viewer', 'streamer'], null]);
  const nobody = Buffer.from('["in_nobody"]').toString('base64url');
  expect((await app.get(`/api/v1/charges?page[after]=${nobody}`)).codes).toEqual(['badParameter']);
});

test("The charges of others are not reached by their cursors, and a page's cursor of nobody starts over", async () => {
  const [one, other] = [await payer(), await payer()];
  const rows = (await one.open()).body.charges.rows;
  const cursor = Buffer.from(JSON.stringify([rows[0].id])).toString('base64url');
  const { status, location } = await other.open(`/billing?charges=${cursor}`);
  expect([status, location]).toEqual([302, '/billing']);
});

test('While Stripe does not answer, the page shows all else, and the API says so', async () => {
  const { person, open } = await payer();
  sandboxStripe().world.faults.failNext({ answer: 503, path: '/v1/invoices', times: 8 });
  const { status, body } = await open();
  expect([status, body.charges]).toEqual([200, null]);
  expect(body.overview.subscriptions).toHaveLength(2);
  const app = await holdToken(person);
  expect((await app.get('/api/v1/charges?page[size]=3')).codes).toEqual(['unavailable']);
  sandboxStripe().world.faults.clear();
});

test('Somebody who never bought anything has no charges, and Stripe is not asked', async () => {
  const person = await streamer();
  const { body } = await (await visitorOf(person.userId)).call(loader, '/billing');
  expect(body.charges).toEqual({ rows: [], next: null });
});

test('A page is read from Stripe again once the subscriptions were fetched, and not before', async () => {
  const { person, open } = await payer();
  const billing = await sellingBilling();
  const lists = vi.spyOn(billing.stripe.invoices, 'list');
  const readsOf = async (deed: () => Promise<unknown>) => {
    const before = lists.mock.calls.length;
    await deed();
    return lists.mock.calls.length - before;
  };
  expect([await readsOf(() => open()), await readsOf(() => open())]).toEqual([1, 0]);
  const customerId = await findCustomerId((await database()).read, person.userId);
  await fetchSubscriptions(billing, customerId ?? '');
  expect(await readsOf(() => open())).toBe(1);
});

test('A page is read from Stripe again in time, also if the clock was put back by hours', async () => {
  const { open } = await payer();
  const billing = await sellingBilling();
  const lists = vi.spyOn(billing.stripe.invoices, 'list');
  await open();
  holdTime();
  onTestFinished(() => void vi.useRealTimers());
  stepHostClock(-6 * hour);
  await open();
  const before = lists.mock.calls.length;
  passTime(minute);
  await open();
  expect(lists.mock.calls.length - before).toBe(1);
});

test('An account that asks for page after page waits; another one does not', async () => {
  const [one, other] = [await payer(), await payer()];
  const app = await holdToken(one.person);
  const codes = new Set<string>();
  for (let size = 1; size <= 25; size++)
    for (const code of (await app.get(`/api/v1/charges?page[size]=${size}`)).codes ?? []) codes.add(code);
  expect([...codes]).toEqual(['tooManyRequests']);
  expect((await other.open()).body.charges.rows).toHaveLength(2);
});
