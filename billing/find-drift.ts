import type Stripe from 'stripe';
import { done, type Outcome } from '#domain/kernel/outcome.ts';
import { findStored, findUserOf, listSubscriptions } from '#domain/subscription/list-subscriptions.ts';
import { type SubscriptionFacts, transition } from '#domain/subscription/transition.ts';
import { ask, type Billing, type StripeCode } from './billing.ts';
import { readFacts } from './read-facts.ts';

/** A subscription that Stripe describes otherwise than it is stored. */
export interface Drift {
  subscriptionId: string;
  stored: string;
  atStripe: string;
}

const customerOf = ({ customer }: Stripe.Subscription): string =>
  typeof customer === 'string' ? customer : customer.id;

/** Compares all subscriptions with Stripe, and changes nothing. Other customers of the same account are left out. */
export async function findDrift(
  billing: Billing,
): Promise<Outcome<{ drift: Drift[]; compared: number }, StripeCode>> {
  const { stripe, db } = billing;
  const listed = await ask(billing, 'list subscriptions', () =>
    stripe.subscriptions
      .list({ status: 'all', limit: 100, expand: ['data.schedule'] })
      .autoPagingToArray({ limit: 10_000 }),
  );
  if (!listed.ok) return listed;
  const drift: Drift[] = [];
  const seen = new Set<string>();
  for (const subscription of listed.value) {
    const userId = await findUserOf(db, customerOf(subscription));
    if (!userId) continue;
    seen.add(subscription.id);
    const found = await compare(billing, userId, await readFacts(billing, subscription));
    if (found) drift.push(found);
  }
  for await (const { id, state } of everyLive(billing))
    if (!seen.has(id)) drift.push({ subscriptionId: id, stored: state, atStripe: 'missing' });
  return done({ drift, compared: seen.size });
}

async function compare(
  { db, now }: Billing,
  userId: string,
  facts: SubscriptionFacts,
): Promise<Drift | null> {
  const stored = (await findStored(db, [facts.id])).get(facts.id) ?? null;
  const { row, change } = transition(userId, stored, facts, now());
  if (change === 'none') return null;
  const words = (each: typeof stored) => (each ? `${each.product} ${each.tier} ${each.state}` : 'missing');
  return { subscriptionId: facts.id, stored: words(stored), atStripe: row ? words(row) : facts.status };
}

async function* everyLive({ db }: Billing) {
  for (let after = ''; ; ) {
    const page = await listSubscriptions(db, { after });
    yield* page;
    const last = page.at(-1);
    if (!last) return;
    after = last.id;
  }
}
