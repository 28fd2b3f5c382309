import fc from 'fast-check';
import { expect, test } from 'vitest';
import { subscriptions } from '#db/schema/billing.ts';
import { day } from '#domain/kernel/time.ts';
import { isInForce } from '#domain/plan/limits-of.ts';
import { nothingPaid } from '#domain/subscription/paid-until.ts';
import { beginFetch, storeFetched } from '#domain/subscription/store-fetched.ts';
import { recordCustomer } from '#domain/subscription/stripe-customer.ts';
import {
  GRACE_MS,
  type StripeStatus,
  type SubscriptionFacts,
  stripeStatuses,
  transition,
} from '#domain/subscription/transition.ts';
import { addStreamer, START_MS } from '#tests/support/fixtures.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { storeFacts, subscriptionFacts } from '#tests/support/subscribing.ts';

setScene();

const states: Record<StripeStatus, string | null> = {
  incomplete: null,
  incomplete_expired: 'ended',
  trialing: 'trialing',
  active: 'active',
  past_due: 'grace',
  unpaid: 'grace',
  paused: 'grace',
  canceled: 'ended',
};

test.each(stripeStatuses)('Stripe’s %s has a state of ours', (status) => {
  const { row } = transition('user', null, subscriptionFacts({ status, endedAtMs: START_MS }), START_MS);
  expect(row?.state ?? null).toBe(states[status]);
  expect(row?.graceUntilMs ?? null).toBe(states[status] === 'grace' ? START_MS + GRACE_MS : null);
});

test.each(['trialing', 'active'])('A subscription that is %s and has an end is ending', (status) => {
  const facts = subscriptionFacts({ status, cancelAtMs: START_MS + day });
  expect(transition('user', null, facts, START_MS).row).toMatchObject({
    state: 'ending',
    endsAtMs: START_MS + day,
  });
});

test('An unknown status or price keeps what is stored, and is named', () => {
  const known = subscriptionFacts();
  const { row } = transition('user', null, known, START_MS);
  for (const [facts, problem] of [
    [{ status: 'on_parole' }, 'unknownStatus'],
    [{ plan: null }, 'unknownPrice'],
  ] as const)
    expect(transition('user', row, { ...known, ...facts }, START_MS).row).toEqual({ ...row, problem });
  expect(transition('user', null, { ...known, plan: null }, START_MS).row).toBeNull();
});

test('What has ended ends also when its price is unknown by then', () => {
  const { row } = transition('user', null, subscriptionFacts({ id: 'sub' }), START_MS);
  const ended = subscriptionFacts({ id: 'sub', status: 'canceled', plan: null, endedAtMs: START_MS + day });
  expect(transition('user', row, ended, START_MS).row).toMatchObject({
    state: 'ended',
    endsAtMs: START_MS + day,
  });
});

/** A life of a subscription: Stripe's answer after each event. */
const life: fc.Arbitrary<SubscriptionFacts[]> = fc
  .array(
    fc.record({
      status: fc.constantFrom(...stripeStatuses.filter((status) => status !== 'canceled')),
      tier: fc.constantFrom('basic', 'expert', 'pro'),
      period: fc.constantFrom('month', 'year'),
      cancelAtMs: fc.option(fc.integer({ min: START_MS, max: START_MS + 60 * day })),
      periodStartMs: fc.integer({ min: START_MS, max: START_MS + 60 * day }),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((steps) =>
    steps.map(({ tier, period, ...step }) =>
      subscriptionFacts({ id: 'sub', plan: { product: 'streamer', tier, period }, ...step }),
    ),
  );

test('Any order, loss and duplication of a life’s events ends as one fetch', () => {
  fc.assert(
    fc.property(
      life.chain((facts) =>
        fc.record({
          facts: fc.constant(facts),
          // Each event fetches Stripe's answer of that moment; some come twice, some never, in any order
          // before the last.
          received: fc.array(fc.nat({ max: facts.length - 1 }), { maxLength: 12 }),
        }),
      ),
      ({ facts, received }) => {
        const last = facts.at(-1) ?? subscriptionFacts();
        const follow = (order: readonly SubscriptionFacts[]) =>
          order.reduce<ReturnType<typeof transition>['row']>(
            (row, next) => transition('user', row, next, START_MS).row ?? row,
            null,
          );
        const seen = received.map((index) => facts[index] ?? last);
        const once = transition('user', null, last, START_MS).row;
        if (once) expect(follow([...seen, last])).toEqual(once);
        expect(follow([...seen, last, last])).toEqual(follow([...seen, last]));
      },
    ),
  );
});

test('Of two fetches the one that began later wins, whichever answer comes first', async () => {
  const customerId = await recordCustomer(db, { userId: streamer.userId, customerId: 'cus_race' }, START_MS);
  const begin = async () => (await beginFetch(db, customerId)) ?? expect.fail();
  const [older, newer] = [await begin(), await begin()];
  const store = (begun: typeof older, facts: Partial<SubscriptionFacts>) =>
    storeFetched(
      db,
      { ...begun, operatorEmail: null, facts: [subscriptionFacts({ id: 'sub_race', ...facts })] },
      START_MS,
    );
  await store(newer, { plan: { product: 'streamer', tier: 'pro', period: 'month' } });
  expect(await store(older, {})).toBeNull();
  const [stored] = await db.read.select().from(subscriptions);
  expect(stored?.tier).toBe('pro');
});

test('A subscription that has ended before its payment was heard of gives what is paid for, and begins with that', async () => {
  const plan = { product: 'streamer', tier: 'pro', period: 'month' } as const;
  const paid = { ...nothingPaid, coverage: { untilMs: START_MS + 20 * day, plan } };
  const ended = { status: 'canceled', plan, endedAtMs: START_MS } as const;
  const stored = await storeFacts(db, streamer, [
    subscriptionFacts({ id: 'sub_paid', ...ended, paid }),
    subscriptionFacts({ id: 'sub_unpaid', ...ended, plan: { ...plan, product: 'viewer' } }),
  ]);
  expect(stored?.changes).toEqual([{ subscriptionId: 'sub_paid', change: 'started' }]);
  const rows = await db.read.select().from(subscriptions);
  expect(rows.map(({ id, state, endsAtMs }) => [id, state, endsAtMs]).sort()).toEqual([
    ['sub_paid', 'covered', START_MS + 20 * day],
    ['sub_unpaid', 'ended', START_MS],
  ]);
  expect(rows.filter((row) => isInForce(row, START_MS + 20 * day - 1)).map(({ id }) => id)).toEqual([
    'sub_paid',
  ]);
  expect(rows.some((row) => isInForce(row, START_MS + 20 * day))).toBe(false);
});

test('Of two subscriptions to one product the older gives the plan, and the newer one is surplus', async () => {
  const stored = await storeFacts(db, streamer, [
    subscriptionFacts({ id: 'sub_new', createdAtMs: START_MS + 1 }),
    subscriptionFacts({ id: 'sub_old' }),
    subscriptionFacts({ id: 'sub_done', status: 'canceled', endedAtMs: START_MS, createdAtMs: START_MS - 1 }),
  ]);
  expect(stored?.surplus).toEqual([{ id: 'sub_new', why: 'duplicate', payments: [] }]);
  const rows = await db.read.select().from(subscriptions);
  expect(rows.map(({ id, state }) => [id, state]).sort()).toEqual([
    ['sub_done', 'ended'],
    ['sub_old', 'active'],
  ]);
});

test('A fetch for an unknown customer begins nothing', async () => {
  await addStreamer(db);
  expect(await beginFetch(db, 'cus_unknown')).toBeNull();
});
