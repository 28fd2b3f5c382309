// A process is paused around a call to Stripe. Another one does the same work meanwhile. The paused one goes on when it wakes.
import { expect, test } from 'vitest';
import type { Billing } from '#billing/billing.ts';
import { fetchSubscriptions } from '#billing/fetch-subscriptions.ts';
import { receiveWebhook } from '#billing/receive-webhook.ts';
import { runRound } from '#billing/run-round.ts';
import { second } from '#domain/kernel/time.ts';
import { listActsOf } from '#domain/subscription/billing-acts.ts';
import { addStreamer, type Person } from '#tests/support/fixtures.ts';
import { holdOnce } from '#tests/support/held-once.ts';
import {
  atStripe,
  billing,
  customerOf,
  db,
  fetchAgain,
  goodCard,
  setBillingStage,
  storedOf,
  streamerBasic,
  stripe,
  subscribe,
  withoutTrials,
} from './stage.ts';

setBillingStage();

const { signal } = new AbortController();
/** Shorter than a lease, longer than that, and longer than the time after which an act is tried again. */
const pauses = [5, 45, 200] as const;
type When = 'before' | 'after';
type Call = 'refund' | 'cancel' | 'list';

/** A process whose next call of this kind waits before it takes effect, or before its answer is read. */
function pausedAt(call: Call, when: When): { open: Billing; held: ReturnType<typeof holdOnce> } {
  const held = holdOnce();
  const around = async <T>(make: () => Promise<T>): Promise<T> => {
    if (when === 'before') await held.wait();
    const answer = await make();
    if (when === 'after') await held.wait();
    return answer;
  };
  const wrap = <T extends object>(resource: T, more: Partial<T>): T =>
    Object.assign(Object.create(resource), more);
  const { stripe: calm } = stripe;
  const { refunds, subscriptions } = calm;
  const list = (...given: Parameters<typeof subscriptions.list>) => {
    const pages = subscriptions.list(...given);
    const read = pages.autoPagingToArray.bind(pages);
    return Object.assign(pages, {
      autoPagingToArray: (limit: { limit: number }) => around(() => read(limit)),
    });
  };
  const calls = {
    refund: {
      refunds: wrap(refunds, { create: (...given) => around(() => refunds.create(...given)) }),
    },
    cancel: {
      subscriptions: wrap(subscriptions, {
        cancel: (...given) => around(() => subscriptions.cancel(...given)),
      }),
    },
    list: { subscriptions: wrap(subscriptions, { list }) },
  };
  return { open: { ...billing, stripe: wrap(calm, calls[call]) }, held };
}

/** Somebody who has paid the same plan twice: one subscription is cancelled, and its payment goes back. */
async function payTwice(): Promise<Person> {
  const person = await withoutTrials(await addStreamer(db));
  await subscribe(person, streamerBasic);
  const { data } = await stripe.stripe.prices.list({ lookup_keys: ['keepsake_streamer_pro_month'] });
  const session = await stripe.checkout(await customerOf(person), data[0]?.id ?? '');
  await stripe.visit(String(session.url), { card: goodCard });
  return person;
}

const eventsOf = (type: string, customer: string) =>
  stripe.world
    .all('event')
    .filter((event) => event.type === type && JSON.stringify(event.data).includes(customer)).length;

test.each([
  ['refund', 'before'],
  ['refund', 'after'],
  ['cancel', 'before'],
  ['cancel', 'after'],
] as const)('A %s is made once by a process that was paused, %s it took effect', async (call, when) => {
  for (const pauseS of pauses) {
    const person = await payTwice();
    const customer = await customerOf(person);
    const refunds = stripe.world.all('refund').length;
    const { open, held } = pausedAt(call, when);
    const fetching = fetchSubscriptions(open, customer);
    await held.isReached;
    stripe.clock.advance(pauseS * second);
    await fetchAgain(person);
    held.release();
    await fetching;
    for (let round = 0; round < 5 && (await listActsOf(db.read, person.userId)).length > 0; round++) {
      stripe.clock.advance(600 * second);
      await runRound(billing, signal);
    }
    expect(await listActsOf(db.read, person.userId)).toEqual([]);
    expect(stripe.world.all('refund').length - refunds).toBe(1);
    expect(eventsOf('customer.subscription.deleted', customer)).toBe(1);
  }
});

test('What a paused process had fetched does not replace what another one has fetched since', async () => {
  for (const pauseS of pauses) {
    const person = await withoutTrials(await addStreamer(db));
    await subscribe(person, streamerBasic);
    const before = await storedOf(person);
    const { open, held } = pausedAt('list', 'after');
    const fetching = fetchSubscriptions(open, await customerOf(person));
    await held.isReached;
    const [bought] = await atStripe(person);
    await stripe.stripe.subscriptions.cancel(bought?.id ?? '');
    stripe.clock.advance(pauseS * second);
    await fetchAgain(person);
    const stored = await storedOf(person);
    held.release();
    await fetching;
    expect(await storedOf(person)).toEqual(stored);
    expect(stored).not.toEqual(before);
  }
});

test('A webhook that is delivered again while its first taker is paused is stored once', async () => {
  const person = await withoutTrials(await addStreamer(db));
  await subscribe(person, streamerBasic);
  const [event] = stripe.world.all('event');
  const body = JSON.stringify(event);
  const signature = await stripe.stripe.webhooks.generateTestHeaderStringAsync({
    payload: body,
    secret: billing.settings.webhookSecret ?? '',
  });
  const held = holdOnce();
  const slow: Billing = {
    ...billing,
    db: {
      ...db,
      async transaction(decide, options) {
        await held.wait();
        return db.transaction(decide, options);
      },
    },
  };
  const taking = receiveWebhook(slow, { body, signature });
  await held.isReached;
  expect(await receiveWebhook(billing, { body, signature })).toMatchObject({ ok: true, isNew: true });
  held.release();
  expect(await taking).toMatchObject({ ok: true, isNew: false });
});
