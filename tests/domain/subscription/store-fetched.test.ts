import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { checkouts, stripeCustomers, subscriptions } from '#db/schema/billing.ts';
import { mails } from '#db/schema/outbox.ts';
import { users } from '#db/schema/user.ts';
import { day, minute } from '#domain/kernel/time.ts';
import { readEvents } from '#domain/outbox/read-events.ts';
import { priceOf, startsAtOnce } from '#domain/plan/plans.ts';
import { findSubscription, listOverdue } from '#domain/subscription/find-subscription.ts';
import { findStored, findUserOf, listSubscriptions } from '#domain/subscription/list-subscriptions.ts';
import { nothingPaid } from '#domain/subscription/paid-until.ts';
import { beginFetch, storeFetched } from '#domain/subscription/store-fetched.ts';
import {
  deferCustomer,
  dropCustomer,
  findCustomerId,
  listCustomersToFetch,
  recordCustomer,
} from '#domain/subscription/stripe-customer.ts';
import { surplusOf } from '#domain/subscription/surplus.ts';
import { GRACE_MS, type SubscriptionFacts, transition } from '#domain/subscription/transition.ts';
import { addStreamer, type Person, START_MS } from '#tests/support/fixtures.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { storeFacts, subscriptionFacts } from '#tests/support/subscribing.ts';

setScene();

/** A fetch that notifies the operator of unreadable subscriptions. */
async function fetchFor({ userId }: Person, facts: readonly SubscriptionFacts[]) {
  const customerId = await recordCustomer(db, { userId, customerId: `cus_${userId}` }, START_MS);
  const begun = (await beginFetch(db, customerId)) ?? expect.fail();
  return storeFetched(db, { ...begun, facts, operatorEmail: 'operator@example.org' }, START_MS);
}
const mailsOf = (template: 'paymentFailed' | 'subscriptionUnreadable') =>
  db.read.select().from(mails).where(eq(mails.template, template));

const later = { tier: 'pro', period: 'year', atMs: START_MS + 31 * day, price: 38_390 } as const;
const changes: [
  what: string,
  from: Partial<SubscriptionFacts> | null,
  to: Partial<SubscriptionFacts>,
  change: string,
][] = [
  ['begins', null, {}, 'started'],
  ['begins with a trial', null, { status: 'trialing' }, 'started'],
  ['was not paid at first', null, { status: 'incomplete' }, 'none'],
  ['had ended before it was seen', null, { status: 'canceled', endedAtMs: START_MS }, 'none'],
  ['is as it was', {}, {}, 'none'],
  ['is extended', {}, { periodEndMs: START_MS + 62 * day }, 'updated'],
  ['will end', {}, { cancelAtMs: START_MS + 31 * day }, 'updated'],
  ['is not paid', {}, { status: 'past_due' }, 'paymentFailed'],
  ['is still not paid', { status: 'past_due' }, { status: 'past_due' }, 'none'],
  [
    'is not paid for the next period either',
    { status: 'past_due' },
    { status: 'unpaid', periodStartMs: START_MS + day },
    'updated',
  ],
  ['is paid late', { status: 'past_due' }, {}, 'recovered'],
  ['ends', {}, { status: 'canceled', endedAtMs: START_MS }, 'ended'],
  [
    'has ended before',
    { status: 'canceled', endedAtMs: START_MS },
    { status: 'canceled', endedAtMs: START_MS + 1 },
    'none',
  ],
  ['has a price that we do not know', {}, { plan: null }, 'updated'],
  ['has a price that we do not know from the beginning', null, { plan: null }, 'none'],
];
test.each(changes)('Of a subscription that %s, that is said', (_what, from, to, change) => {
  const previous = from && transition('user', null, subscriptionFacts({ id: 'sub', ...from }), START_MS).row;
  expect(transition('user', previous, subscriptionFacts({ id: 'sub', ...to }), START_MS).change).toBe(change);
});

test('A subscription is stored with its period, its trial and the plan that begins later', () => {
  const rowOf = (facts: Partial<SubscriptionFacts>) =>
    transition('user', null, subscriptionFacts(facts), START_MS).row;
  const trialUntilMs = START_MS + 7 * day;
  expect(rowOf({ status: 'trialing', trialUntilMs, next: later })).toMatchObject({
    userId: 'user',
    product: 'streamer',
    tier: 'basic',
    period: 'month',
    state: 'trialing',
    trialUntilMs,
    graceUntilMs: null,
    endsAtMs: null,
    nextTier: 'pro',
    nextPeriod: 'year',
    nextAtMs: later.atMs,
    price: 499,
    nextPrice: 38_390,
    problem: null,
  });
  expect(rowOf({ trialUntilMs, next: later })).toMatchObject({ trialUntilMs: null, nextTier: 'pro' });
  expect(rowOf({ status: 'past_due', next: later })).toMatchObject({
    graceUntilMs: START_MS + GRACE_MS,
    nextTier: null,
    nextPeriod: null,
    nextAtMs: null,
    nextPrice: null,
  });
  expect(rowOf({ cancelAtMs: START_MS + day, next: later })).toMatchObject({
    state: 'ending',
    nextTier: null,
  });
  expect(rowOf({ status: 'past_due', cancelAtMs: START_MS + day })).toMatchObject({ state: 'grace' });
});

test('What cannot be read is named once, and again when it is another trouble', () => {
  const { row } = transition('user', null, subscriptionFacts({ id: 'sub' }), START_MS);
  const unknown = transition('user', row, subscriptionFacts({ id: 'sub', plan: null }), START_MS);
  const again = transition('user', unknown.row, subscriptionFacts({ id: 'sub', plan: null }), START_MS);
  expect([unknown.change, again.change]).toEqual(['updated', 'none']);
  const other = transition(
    'user',
    unknown.row,
    subscriptionFacts({ id: 'sub', status: 'on_parole' }),
    START_MS,
  );
  expect(other).toMatchObject({ change: 'updated', row: { problem: 'unknownStatus' } });
  expect(transition('user', null, subscriptionFacts({ plan: null, status: 'incomplete' }), START_MS)).toEqual(
    {
      row: null,
      change: 'none',
    },
  );
});

test('A fetch says what changed, and what it could not read', async () => {
  const known = subscriptionFacts({ id: 'sub_a' });
  expect(await fetchFor(streamer, [known])).toEqual({
    changes: [{ subscriptionId: 'sub_a', change: 'started' }],
    surplus: [],
    reversed: [],
    unreadable: [],
  });
  expect(await fetchFor(streamer, [known])).toMatchObject({ changes: [] });
  const odd = { ...known, plan: null };
  expect(await fetchFor(streamer, [odd])).toEqual({
    changes: [{ subscriptionId: 'sub_a', change: 'updated' }],
    surplus: [],
    reversed: [],
    unreadable: [odd],
  });
  await fetchFor(streamer, [odd]);
  expect(await mailsOf('subscriptionUnreadable')).toMatchObject([
    {
      recipient: 'operator@example.org',
      locale: 'en',
      values: { why: 'unknownPrice', subscription: 'sub_a' },
    },
  ]);
  await storeFacts(db, streamer, [{ ...known, status: 'on_parole' }]);
  expect(await mailsOf('subscriptionUnreadable')).toHaveLength(1);
});

test('A payment that failed is told by mail, with the end of the grace period', async () => {
  const facts = subscriptionFacts({ id: 'sub', status: 'past_due' });
  await fetchFor(streamer, [subscriptionFacts({ id: 'sub' })]);
  expect(await mailsOf('paymentFailed')).toEqual([]);
  await fetchFor(streamer, [facts]);
  const [user] = await db.read.select().from(users).where(eq(users.id, streamer.userId));
  expect(await mailsOf('paymentFailed')).toMatchObject([
    {
      recipient: user?.email,
      values: { name: user?.name, product: 'streamer', tier: 'basic', untilMs: String(START_MS + GRACE_MS) },
    },
  ]);
});

test('Nothing of a deleted account goes on, and nobody is written to', async () => {
  await fetchFor(streamer, [subscriptionFacts({ id: 'sub' })]);
  await db.transaction(async (tx) => {
    await tx.update(users).set({ deletedAtMs: START_MS }).where(eq(users.id, streamer.userId));
  });
  const stored = await fetchFor(streamer, [subscriptionFacts({ id: 'sub', status: 'past_due' })]);
  expect(stored).toMatchObject({ changes: [], surplus: [{ id: 'sub', why: 'accountDeleted' }] });
  expect(await mailsOf('paymentFailed')).toEqual([]);
});

test('A subscription that follows one that ends takes its place in the same fetch', async () => {
  await fetchFor(streamer, [subscriptionFacts({ id: 'sub_1' })]);
  await fetchFor(streamer, [
    subscriptionFacts({ id: 'sub_2', createdAtMs: START_MS + 1 }),
    subscriptionFacts({ id: 'sub_1', status: 'canceled', endedAtMs: START_MS }),
  ]);
  const { userId } = streamer;
  expect(await findSubscription(db.read, { userId, product: 'streamer' })).toMatchObject({
    id: 'sub_2',
  });
  expect(await findSubscription(db.read, { userId, product: 'viewer' })).toBeNull();
});

test('Of two subscriptions to a product the newer is surplus; of two of one moment, the second by its id', () => {
  const of = (id: string, facts: Partial<SubscriptionFacts> = {}) => subscriptionFacts({ id, ...facts });
  const surplus = (...facts: SubscriptionFacts[]) =>
    surplusOf(facts, { isDeleted: false }).map(({ id }) => id);
  expect(surplus(of('b'), of('a'))).toEqual(['b']);
  expect(surplus(of('a'), of('b', { createdAtMs: START_MS - 1 }))).toEqual(['a']);
  expect(surplus(of('a'), of('b', { plan: { product: 'viewer', tier: 'pro', period: 'month' } }))).toEqual(
    [],
  );
  expect(surplus(of('a'), of('b', { status: 'incomplete' }), of('c', { plan: null }))).toEqual([]);
  expect(surplus(of('a', { status: 'incomplete' }), of('b'))).toEqual([]);
  expect(
    surplus(of('a', { status: 'canceled' }), of('b'), of('c', { status: 'incomplete_expired' })),
  ).toEqual([]);
  const deleted = surplusOf([of('a'), of('b', { status: 'incomplete' }), of('c', { status: 'canceled' })], {
    isDeleted: true,
  });
  expect(deleted.map(({ id }) => id)).toEqual(['a', 'b']);
});

test('A user keeps the first customer, until Stripe says that there is none', async () => {
  const { userId } = streamer;
  expect(await findCustomerId(db.read, userId)).toBeNull();
  const record = (customerId: string) => recordCustomer(db, { userId, customerId }, START_MS);
  expect(await record('cus_1')).toBe('cus_1');
  expect(await record('cus_2')).toBe('cus_1');
  expect(await findUserOf(db, 'cus_1')).toBe(userId);
  expect(await findUserOf(db, 'cus_2')).toBeNull();
  const begun = (await beginFetch(db, 'cus_1')) ?? expect.fail();
  const facts = [subscriptionFacts({ id: 'sub', status: 'past_due' })];
  await storeFetched(db, { ...begun, facts, operatorEmail: null }, START_MS);
  const drop = (customerId: string) => dropCustomer(db, { userId, customerId }, START_MS + day);
  await drop('cus_2');
  expect((await findStored(db, ['sub'])).get('sub')).toMatchObject({ state: 'grace' });
  await drop('cus_1');
  expect((await findStored(db, ['sub', 'sub_other'])).get('sub')).toMatchObject({
    state: 'ended',
    endsAtMs: START_MS + day,
    graceUntilMs: null,
  });
  expect(await findCustomerId(db.read, userId)).toBeNull();
  expect(await record('cus_2')).toBe('cus_2');
});

test('Customers are fetched in turn, the one that was not for the longest time first', async () => {
  const { userId } = streamer;
  const other = await addStreamer(db);
  await recordCustomer(db, { userId, customerId: 'cus_1' }, START_MS + 1);
  await recordCustomer(db, { userId: other.userId, customerId: 'cus_2' }, START_MS);
  const monthMs = 30 * day;
  const listed = (nowMs: number, limit = 10) => listCustomersToFetch(db, { limit }, nowMs);
  expect(await listed(START_MS + monthMs)).toEqual([]);
  expect(await listed(START_MS + monthMs + 1)).toEqual(['cus_2']);
  expect(await listed(START_MS + 2 * monthMs)).toEqual(['cus_2', 'cus_1']);
  expect(await listed(START_MS + 2 * monthMs, 1)).toEqual(['cus_2']);
  const laterMs = START_MS + 2 * monthMs;
  const defer = () => deferCustomer(db, 'cus_2', { nowMs: laterMs, random: () => 1 });
  expect([await defer(), await defer()]).toEqual([1, 2]);
  expect(await listed(laterMs)).toEqual(['cus_1']);
  expect(await listed(laterMs + 10 * minute - 1)).toEqual(['cus_1']);
  expect(await listed(laterMs + 10 * minute)).toEqual(['cus_2', 'cus_1']);
  await db.transaction(async (tx) => {
    await tx.update(stripeCustomers).set({ customerId: null }).where(eq(stripeCustomers.userId, userId));
  });
  expect(await listed(laterMs + 10 * minute)).toEqual(['cus_2']);
});

test('Whoever has a live subscription or an open checkout is fetched each day, and others are not', async () => {
  const [checkingOut, ended] = [await addStreamer(db), await addStreamer(db)];
  const record = ({ userId }: Person, customerId: string) =>
    recordCustomer(db, { userId, customerId }, START_MS);
  await record(streamer, 'cus_paying');
  await record(checkingOut, 'cus_checking_out');
  await record(ended, 'cus_ended');
  await storeFacts(db, streamer, [subscriptionFacts({ id: 'sub_live' })]);
  await storeFacts(db, ended, [
    subscriptionFacts({ id: 'sub_ended', status: 'canceled', endedAtMs: START_MS }),
  ]);
  await db.transaction(async (tx) => {
    await tx.update(stripeCustomers).set({ fetchedAtMs: START_MS });
    await tx.insert(checkouts).values({
      id: 'checkout',
      userId: checkingOut.userId,
      product: 'streamer',
      tier: 'basic',
      period: 'month',
      createdAtMs: START_MS,
      expiresAtMs: START_MS + day,
    });
  });
  const listed = async (nowMs: number, limit = 10) =>
    (await listCustomersToFetch(db, { limit }, nowMs)).sort();
  expect(await listed(START_MS + day)).toEqual([]);
  expect(await listed(START_MS + day + 1)).toEqual(['cus_checking_out', 'cus_paying']);
  expect(await listed(START_MS + day + 1, 1)).toHaveLength(1);
  await db.transaction((tx) => tx.update(checkouts).set({ state: 'expired' }));
  expect(await listed(START_MS + day + 1)).toEqual(['cus_paying']);
  expect(await listed(START_MS + 30 * day + 1)).toEqual(['cus_checking_out', 'cus_ended', 'cus_paying']);
});

test('Subscriptions are listed page by page while they live, and those whose grace is over for the end', async () => {
  const other = await addStreamer(db);
  const viewerPlan = { product: 'viewer', tier: 'pro', period: 'month' } as const;
  await storeFacts(db, streamer, [
    subscriptionFacts({ id: 'sub_c' }),
    subscriptionFacts({ id: 'sub_a', status: 'past_due', plan: viewerPlan }),
    subscriptionFacts({ id: 'sub_d', status: 'canceled', endedAtMs: START_MS }),
  ]);
  await storeFacts(db, other, [
    subscriptionFacts({
      id: 'sub_b',
      status: 'past_due',
      paid: { ...nothingPaid, due: 'failed', failedAtMs: START_MS - day },
    }),
  ]);
  const page = async (asked: { after?: string; size?: number }) =>
    (await listSubscriptions(db, asked)).map(({ id }) => id);
  expect(await page({})).toEqual(['sub_a', 'sub_b', 'sub_c']);
  expect(await page({ size: 2 })).toEqual(['sub_a', 'sub_b']);
  expect(await page({ after: 'sub_b' })).toEqual(['sub_c']);
  const overdue = (nowMs: number, limit = 10) => listOverdue(db, nowMs, limit);
  const endMs = START_MS + GRACE_MS;
  expect(await overdue(endMs - day - 1)).toEqual([]);
  expect(await overdue(endMs - 1)).toEqual([
    { id: 'sub_b', userId: other.userId, customerId: `cus_${other.userId}` },
  ]);
  expect((await overdue(endMs)).map(({ id }) => id)).toEqual(['sub_b', 'sub_a']);
  expect(await overdue(endMs, 1)).toHaveLength(1);
  expect(await db.read.$count(subscriptions)).toBe(4);
});

test('A year costs a fifth less than twelve months, rounded to ten', () => {
  expect(priceOf('streamer', 'basic', 'month')).toBe(499);
  expect(priceOf('streamer', 'basic', 'year')).toBe(4790);
  expect(priceOf('viewer', 'expert', 'year')).toBe(3830);
});

test('More is had at once, less when what was paid for ends', () => {
  const plan = (tier: 'basic' | 'expert' | 'pro', period: 'month' | 'year') => ({ tier, period });
  expect(startsAtOnce(plan('basic', 'month'), plan('expert', 'month'))).toBe(true);
  expect(startsAtOnce(plan('basic', 'year'), plan('pro', 'month'))).toBe(true);
  expect(startsAtOnce(plan('pro', 'month'), plan('expert', 'year'))).toBe(false);
  expect(startsAtOnce(plan('pro', 'month'), plan('pro', 'year'))).toBe(true);
  expect(startsAtOnce(plan('pro', 'year'), plan('pro', 'month'))).toBe(false);
  expect(startsAtOnce(plan('pro', 'month'), plan('pro', 'month'))).toBe(false);
});

test('A change of the plan is shown on the open pages of its owner, and a fetch without one on none', async () => {
  const facts = [subscriptionFacts()];
  const shown = async () =>
    (await readEvents(db, { afterId: null })).map(({ userId, kind, subjectId }) => [userId, kind, subjectId]);
  await storeFacts(db, streamer, facts);
  const { userId } = streamer;
  expect(await shown()).toEqual([[userId, 'account.changed', userId]]);
  await storeFacts(db, streamer, facts);
  expect(await shown()).toHaveLength(1);
});

test('A subscription that was never paid needs no price that we can read', async () => {
  const unpaid = subscriptionFacts({ status: 'incomplete', plan: null });
  const paid = subscriptionFacts({ plan: null });
  expect(await fetchFor(streamer, [unpaid, paid])).toMatchObject({ unreadable: [paid] });
});

test('A stored subscription that turns out to be the surplus one makes room for the one that stays', async () => {
  const unpaid = subscriptionFacts({ id: 'sub_b' });
  await storeFacts(db, streamer, [unpaid]);
  const plan = { product: 'streamer', tier: 'pro', period: 'month' } as const;
  const coverage = { untilMs: START_MS + 31 * day, plan };
  const paid = subscriptionFacts({
    id: 'sub_a',
    plan,
    createdAtMs: START_MS + 1,
    paid: { ...nothingPaid, coverage, payments: ['pi_1'] },
  });
  for (const _ of [1, 2]) {
    const stored = await storeFacts(db, streamer, [unpaid, paid], START_MS + 2);
    expect(stored?.surplus).toEqual([{ id: 'sub_b', why: 'duplicate', payments: [] }]);
    const rows = await findStored(db, ['sub_a', 'sub_b']);
    expect([rows.get('sub_a')?.state, rows.get('sub_b')?.state]).toEqual(['active', 'ended']);
  }
});
