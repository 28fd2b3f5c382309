import { and, eq, isNull, lt, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { checkouts, stripeCustomers, subscriptions, trials } from '#db/schema/billing.ts';
import { users } from '#db/schema/user.ts';
import { billingLock } from '#domain/kernel/locks.ts';
import { queueAlarm } from '#domain/outbox/alarm-operator.ts';
import { announce } from '#domain/outbox/announce.ts';
import { type MailToQueue, queueMails } from '#domain/outbox/queue-mail.ts';
import { decideActs, type Reversed, reversedOf } from './decide-acts.ts';
import { remindOfTrials } from './remind-of-trials.ts';
import { findCustomerId } from './stripe-customer.ts';
import { type Surplus, surplusOf } from './surplus.ts';
import {
  type Change,
  isLive,
  problemOf,
  type Subscription,
  type SubscriptionFacts,
  transition,
} from './transition.ts';

/** The changes made by a fetch, and the acts that Stripe has to carry out because of it. */
export interface Stored {
  changes: { subscriptionId: string; change: Change }[];
  /** Subscriptions that must not go on: to be cancelled at Stripe, and refunded. */
  surplus: Surplus[];
  /** Subscriptions whose present plan is no longer paid for: to be cancelled. */
  reversed: Reversed[];
  /** Subscriptions whose status or price is unknown: their plan stays as it was. */
  unreadable: SubscriptionFacts[];
}

/** All subscriptions of a user's customer, as they were fetched. */
interface Fetched {
  userId: string;
  facts: readonly SubscriptionFacts[];
  /** Receiver of the mail about a subscription that cannot be read; null for nobody. */
  operatorEmail: string | null;
}

/** Begins to fetch a customer's subscriptions. Returns the fetch's number, or null for a customer who is none of ours. */
export async function beginFetch(
  db: Database,
  customerId: string,
): Promise<{ userId: string; fetch: number } | null> {
  return db.transaction(async (tx) => {
    const [customer] = await tx
      .update(stripeCustomers)
      .set({ fetchesBegun: sql`${stripeCustomers.fetchesBegun} + 1` })
      .where(eq(stripeCustomers.customerId, customerId))
      .returning({ userId: stripeCustomers.userId, fetch: stripeCustomers.fetchesBegun });
    return customer ?? null;
  });
}

/**
 * Stores all subscriptions of a customer as they were fetched. If two fetches overlap, the one that began
 * later wins, so a slow answer never replaces a newer one. Returns null if this one came too late.
 */
export async function storeFetched(
  db: Database,
  { fetch, ...fetched }: Fetched & { fetch: number },
  nowMs: number,
): Promise<Stored | null> {
  return db.transaction(
    async (tx) => {
      const newest = await tx
        .update(stripeCustomers)
        .set({ fetchStored: fetch, fetchedAtMs: nowMs, failures: 0, retryAtMs: 0 })
        .where(and(eq(stripeCustomers.userId, fetched.userId), lt(stripeCustomers.fetchStored, fetch)))
        .returning({ userId: stripeCustomers.userId });
      if (newest.length === 0) return null;
      return storeIn(tx, fetched, nowMs);
    },
    { lock: billingLock(fetched.userId) },
  );
}

async function storeIn(tx: Tx, { userId, facts, operatorEmail }: Fetched, nowMs: number): Promise<Stored> {
  const stored = await tx.select().from(subscriptions).where(eq(subscriptions.userId, userId));
  const previous = new Map(stored.map((row) => [row.id, row]));
  const [user] = await tx.select().from(users).where(eq(users.id, userId));
  const surplus = surplusOf(facts, { isDeleted: user?.deletedAtMs !== null });
  const surplusIds = new Set(surplus.map(({ id }) => id));
  const changes: Stored['changes'] = [];
  const rows: Subscription[] = [];
  for (const each of facts) {
    // A surplus subscription gives no plan. It is stored once it has ended, and makes room if it was stored
    // before.
    if (surplusIds.has(each.id)) {
      const known = previous.get(each.id);
      if (known && surplus.some(({ id, why }) => id === known.id && why === 'duplicate'))
        rows.push({
          ...known,
          state: 'ended',
          endsAtMs: nowMs,
          failedAtMs: null,
          graceUntilMs: null,
          problem: null,
        });
      continue;
    }
    const { row, change } = transition(userId, previous.get(each.id) ?? null, each, nowMs);
    if (change !== 'none') changes.push({ subscriptionId: each.id, change });
    if (row) rows.push(row);
  }
  // Subscriptions that end are stored first, to make room for those that follow them.
  for (const row of rows.sort((a, b) => Number(b.state === 'ended') - Number(a.state === 'ended')))
    await tx.insert(subscriptions).values(row).onConflictDoUpdate({ target: subscriptions.id, set: row });
  for (const each of facts) await completeCheckout(tx, each);
  if (changes.length > 0) await announce(tx, [{ userId, kind: 'account.changed', subjectId: userId }], nowMs);
  const failedIds = changes.flatMap(({ subscriptionId, change }) =>
    change === 'paymentFailed' ? subscriptionId : [],
  );
  const failed = rows.filter(({ id }) => failedIds.includes(id));
  if (user && user.deletedAtMs === null)
    await queueMails(
      tx,
      failed.map((row) => paymentFailedMail(user, row)),
      nowMs,
    );
  if (user && user.deletedAtMs === null) await remindOfTrials(tx, user, rows, nowMs);
  const worsened = rows.filter(({ id, problem }) => problem && problem !== previous.get(id)?.problem);
  if (operatorEmail !== null)
    await queueMails(
      tx,
      worsened.map((row) => unreadableMail(operatorEmail, row)),
      nowMs,
    );
  if (operatorEmail !== null) await reportOddities(tx, { facts, rows, operatorEmail }, nowMs);
  const reversed = reversedOf(facts, surplus);
  await decideActs(tx, { userId, facts, rows, surplus, reversed }, nowMs);
  if (operatorEmail !== null) await reportReversed(tx, { userId, reversed, operatorEmail }, nowMs);
  return { changes, surplus, reversed, unreadable: facts.filter(problemOf) };
}

const paymentFailedMail = (
  { email, locale, name }: typeof users.$inferSelect,
  { product, tier, graceUntilMs }: Subscription,
): MailToQueue => ({
  recipient: email,
  locale,
  template: 'paymentFailed',
  values: { name, product, tier, untilMs: String(graceUntilMs) },
});

/**
 * Mails the operator about oddities that are not stored, or leave the plan as it is. Only the mail itself
 * records that it was sent.
 */
async function reportOddities(
  tx: Tx,
  asked: { facts: readonly SubscriptionFacts[]; rows: readonly Subscription[]; operatorEmail: string },
  nowMs: number,
): Promise<void> {
  const { rows, operatorEmail } = asked;
  for (const each of asked.facts) {
    const problem = problemOf(each);
    const { id } = each;
    if (problem && !rows.some((row) => row.id === id)) {
      const mail = unreadableMail(operatorEmail, { id, problem });
      await queueAlarm(tx, { key: `subscription ${id}: ${problem}`, mail, isOnce: true }, nowMs);
    }
    if (each.plan && each.hasOtherItems && isLive(each)) {
      const mail = moreMail(operatorEmail, id);
      await queueAlarm(tx, { key: `subscription ${id}: other items`, mail, isOnce: true }, nowMs);
    }
  }
}

async function reportReversed(
  tx: Tx,
  asked: { userId: string; reversed: readonly Reversed[]; operatorEmail: string },
  nowMs: number,
): Promise<void> {
  const { userId, reversed, operatorEmail: recipient } = asked;
  const customer = reversed.length > 0 ? ((await findCustomerId(tx, userId)) ?? '') : '';
  for (const { id: subscription, why } of reversed) {
    const values = { why, customer, subscription };
    const mail = { recipient, locale: 'en', template: 'paymentReversed', values } as const;
    await queueAlarm(tx, { key: `reversed: ${subscription}`, mail }, nowMs);
  }
}

const moreMail = (recipient: string, subscription: string): MailToQueue => ({
  recipient,
  locale: 'en',
  template: 'subscriptionHasMore',
  values: { subscription },
});

const unreadableMail = (
  recipient: string,
  { id, problem }: Pick<Subscription, 'id' | 'problem'>,
): MailToQueue => ({
  recipient,
  locale: 'en',
  template: 'subscriptionUnreadable',
  values: { why: problem ?? 'unknownStatus', subscription: id },
});

/** Marks a checkout as completed, of which its subscription is the proof; the trial is used up then. */
async function completeCheckout(tx: Tx, { id, checkoutId, status }: SubscriptionFacts): Promise<void> {
  if (checkoutId === null || status === 'incomplete') return;
  await tx
    .update(checkouts)
    .set({ state: 'completed' })
    .where(and(eq(checkouts.id, checkoutId), is(checkouts.state, 'open')));
  const [checkout] = await tx.select().from(checkouts).where(eq(checkouts.id, checkoutId));
  if (!checkout?.trialTwitchId) return;
  const { trialTwitchId: twitchId, product, createdAtMs: takenAtMs } = checkout;
  // The trial is missing if the checkout was closed here before it was paid; another one may have reserved it
  // since.
  await tx
    .insert(trials)
    .values({ twitchId, product, checkoutId, subscriptionId: id, takenAtMs })
    .onConflictDoUpdate({
      target: [trials.twitchId, trials.product],
      set: { checkoutId, subscriptionId: id },
      setWhere: isNull(trials.subscriptionId),
    });
}
