import fc from 'fast-check';
import Stripe from 'stripe';
import { expect, test } from 'vitest';
import type { Billing } from '#billing/billing.ts';
import { endAllBilling, resumeSubscription } from '#billing/cancel-subscription.ts';
import { fetchSubscriptions } from '#billing/fetch-subscriptions.ts';
import { runRound } from '#billing/run-round.ts';
import { newId } from '#domain/kernel/id.ts';
import { hour } from '#domain/kernel/time.ts';
import { listActsOf } from '#domain/subscription/billing-acts.ts';
import { chargeExtra } from '#sandbox/stripe/dashboard.ts';
import { addStreamer, type Person, START_MS } from '#tests/support/fixtures.ts';
import {
  atStripe,
  billing,
  changeTo,
  checkoutUrl,
  customerOf,
  db,
  goodCard,
  setBillingStage,
  streamerBasic,
  stripe,
  subscribe,
  viewerPro,
  withoutTrials,
} from './stage.ts';

setBillingStage();

const { signal } = new AbortController();
const streamerPro = { ...streamerBasic, tier: 'pro' } as const;

/** Fates of a request that changes something. */
const troubles = ['none', 'diedBefore', 'diedAfter', 'lostBefore', 'lostAfter', 'brokenAnswer'] as const;
type Trouble = (typeof troubles)[number];

class Died extends Error {}
const lost = () => new Stripe.errors.StripeConnectionError({ message: 'no answer' } as never);

/** Stripe without the package's own repeats, with these troubles in turn, and none after them. */
function troubled(left: Trouble[]): Billing {
  const { stripe: calm } = stripe;
  const meet = async <T>(path: string, call: () => Promise<T>): Promise<T> => {
    const trouble = left.shift() ?? 'none';
    if (trouble === 'diedBefore') throw new Died();
    if (trouble === 'lostBefore') throw lost();
    if (trouble === 'brokenAnswer') stripe.world.faults.failNext({ answer: 500, path });
    const answer = await call();
    if (trouble === 'diedAfter') throw new Died();
    if (trouble === 'lostAfter') throw lost();
    return answer;
  };
  const { subscriptions, subscriptionSchedules, invoices, refunds, checkout } = calm;
  const wrap = <T extends object>(resource: T, more: Partial<T>): T =>
    Object.assign(Object.create(resource), more);
  const parts = {
    subscriptions: wrap(subscriptions, {
      cancel: (...params) => meet('/v1/subscriptions/', () => subscriptions.cancel(...params)),
    }),
    subscriptionSchedules: wrap(subscriptionSchedules, {
      release: (...params) =>
        meet('/v1/subscription_schedules/', () => subscriptionSchedules.release(...params)),
    }),
    invoices: wrap(invoices, {
      voidInvoice: (...params) => meet('/v1/invoices/in_', () => invoices.voidInvoice(...params)),
    }),
    refunds: wrap(refunds, {
      create: (...params) => meet('/v1/refunds', () => refunds.create(...params)),
    }),
    checkout: wrap(checkout, {
      sessions: wrap(checkout.sessions, {
        expire: (...params) => meet('/v1/checkout/sessions/', () => checkout.sessions.expire(...params)),
      }),
    }),
  };
  return { ...billing, stripe: wrap(calm, parts) };
}

/** Lists the acts that were carried out since, by Stripe's events about them: the act, and its object. */
const effectsSince = (seen: number) =>
  stripe.world
    .all('event')
    .slice(0, stripe.world.all('event').length - seen)
    .map(({ type, data }) => [type, data.object as { id: string; payment_intent?: string }] as const)
    .flatMap(([type, { id, payment_intent: payment }]) => {
      if (type === 'refund.created') return `refund of ${payment}`;
      const names = {
        'customer.subscription.deleted': 'cancel',
        'invoice.voided': 'void',
        'subscription_schedule.released': 'release',
        'checkout.session.expired': 'expire',
      } as Record<string, string>;
      return type in names ? `${names[type]} of ${id}` : [];
    })
    .sort();

/**
 * Each brings a person to a point where Stripe has to act, and returns the request that is repeated until it
 * succeeds.
 */
const scenes = {
  async duplicate(person: Person) {
    await subscribe(person, streamerBasic);
    const customer = await customerOf(person);
    const { data } = await stripe.stripe.prices.list({ lookup_keys: ['keepsake_streamer_pro_month'] });
    const session = await stripe.checkout(customer, data[0]?.id ?? '');
    await stripe.visit(String(session.url), { card: goodCard });
    return { kinds: ['cancel', 'refund'], ask: (open: Billing) => fetchSubscriptions(open, customer) };
  },
  async leaving(person: Person) {
    await subscribe(person, streamerBasic);
    await checkoutUrl(person, viewerPro);
    stripe.world.orderPaymentTrouble(await customerOf(person), { outcome: 'declined', times: 100 });
    const [bought] = await atStripe(person);
    const poster = { description: 'A poster', amount: 250, isInvoicedNow: true };
    stripe.world.transaction(() => chargeExtra(stripe.world, bought?.id ?? '', poster));
    return {
      kinds: ['cancel', 'expire', 'void'],
      ask: (open: Billing) => endAllBilling(open, person.userId),
    };
  },
  async keeping({ userId, ...person }: Person) {
    await subscribe({ userId, ...person }, streamerPro);
    await changeTo({ userId, ...person }, streamerBasic);
    const asked = () => ({ userId, product: 'streamer', requestId: newId(START_MS) }) as const;
    return { kinds: ['release'], ask: (open: Billing) => resumeSubscription(open, asked()) };
  },
};

test('Through crashes, lost answers and repeated faults each act is done exactly once, and all end', async () => {
  const scene = fc.constantFrom(...(Object.keys(scenes) as (keyof typeof scenes)[]));
  const faults = fc.array(fc.constantFrom(...troubles), { minLength: 1, maxLength: 7 });
  await fc.assert(
    fc.asyncProperty(scene, faults, async (name, given) => {
      const person = await withoutTrials(await addStreamer(db));
      const { kinds, ask } = await scenes[name](person);
      const open = troubled([...given]);
      const seen = stripe.world.all('event').length;
      const due = async () => (await listActsOf(db.read, person.userId)).length;
      let isOk = false;
      for (let rounds = 0; rounds < 25 && (!isOk || (await due()) > 0); rounds++) {
        isOk ||= await ask(open).then(
          ({ ok }) => ok,
          () => false,
        );
        stripe.clock.advance(hour);
        await runRound(open, signal);
      }
      expect(await due()).toBe(0);
      expect(effectsSince(seen).map((effect) => effect.split(' ')[0])).toEqual(kinds);
    }),
    { numRuns: 20 },
  );
}, 240_000);
