import { and, eq, isNotNull } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { type Product, products, trials } from '#db/schema/billing.ts';
import { rules } from '#db/schema/rule.ts';
import { type LiveSubscription, listCovered, listLiveSubscriptions } from './find-subscription.ts';
import { findCustomerId } from './stripe-customer.ts';
import type { Subscription } from './transition.ts';

/** The plans that a user pays for. */
export interface BillingOverview {
  subscriptions: LiveSubscription[];
  /** Plans that are paid for and go on although their subscriptions have ended. */
  covered: Subscription[];
  /** True if Stripe knows the user, so that there may be invoices and a card to manage. */
  isCustomer: boolean;
  /** Products for which the linked Twitch account has not had a trial. */
  trialsLeft: Product[];
  /** Number of rules that are paused because they are over the plan's limit. */
  rulesOverLimit: number;
}

/** Reads a user's plans from stored data alone. */
export async function getBilling(
  { read }: Database,
  userId: string,
  nowMs: number,
): Promise<BillingOverview> {
  const [subscriptions, covered, customerId, taken, [twitch], rulesOverLimit] = await Promise.all([
    listLiveSubscriptions(read, userId),
    listCovered(read, userId, nowMs),
    findCustomerId(read, userId),
    read
      .select({ product: trials.product })
      .from(trials)
      .innerJoin(twitchAccounts, eq(twitchAccounts.twitchId, trials.twitchId))
      .where(and(eq(twitchAccounts.userId, userId), isNotNull(trials.subscriptionId))),
    read.select().from(twitchAccounts).where(eq(twitchAccounts.userId, userId)),
    read.$count(
      rules,
      and(eq(rules.ownerId, userId), is(rules.state, 'paused'), is(rules.pauseReason, 'overLimit')),
    ),
  ]);
  const had = new Set(taken.map(({ product }) => product));
  const trialsLeft = twitch ? products.filter((product) => !had.has(product)) : [];
  return { subscriptions, covered, isCustomer: customerId !== null, trialsLeft, rulesOverLimit };
}
