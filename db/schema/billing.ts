import { sql } from 'drizzle-orm';
import { bool, check, index, int, oneOf, primaryKey, table, text, uniqueIndex, within } from '#db/dialect.ts';
import { users } from '#db/schema/user.ts';

export const products = ['streamer', 'viewer'] as const;
export type Product = (typeof products)[number];
export const tiers = ['free', 'basic', 'expert', 'pro'] as const;
export type Tier = (typeof tiers)[number];
export const paidTiers = ['basic', 'expert', 'pro'] as const satisfies readonly Tier[];
export type PaidTier = (typeof paidTiers)[number];
export const billingPeriods = ['month', 'year'] as const;
export type BillingPeriod = (typeof billingPeriods)[number];

/** `covered`: it was cancelled at Stripe at once, and the paid time goes on. */
export const subscriptionStates = ['trialing', 'active', 'grace', 'ending', 'covered', 'ended'] as const;
export type SubscriptionState = (typeof subscriptionStates)[number];
export const liveSubscriptionStates = [
  'trialing',
  'active',
  'grace',
  'ending',
] as const satisfies readonly SubscriptionState[];
/** The states that may give a plan: some of them only until a stored moment. */
export const planStates = [
  ...liveSubscriptionStates,
  'covered',
] as const satisfies readonly SubscriptionState[];
/** The reasons why a subscription could not be read completely; its plan stays as it was. */
export const subscriptionProblems = ['unknownStatus', 'unknownPrice'] as const;
export type SubscriptionProblem = (typeof subscriptionProblems)[number];

/**
 * One row that says whether this instance sells plans, written by the web process as it starts. Without a row
 * it is free.
 */
export const billingSwitch = table('billing_switch', {
  id: text('id').primaryKey(),
  sellsPlans: bool('sells_plans').notNull(),
  changedAtMs: int('changed_at_ms').notNull(),
});

/** A user's customer at Stripe. The row outlives the account: a late payment must find whom it belongs to. */
export const stripeCustomers = table(
  'stripe_customers',
  {
    userId: text('user_id')
      .primaryKey()
      .references(() => users.id),
    /** Null until Stripe has answered the first request. */
    customerId: text('customer_id'),
    /** Numbers of the last fetch that began, and of the last one that was stored: an older one is dropped. */
    fetchesBegun: int('fetches_begun').notNull().default(0),
    fetchStored: int('fetch_stored').notNull().default(0),
    fetchedAtMs: int('fetched_at_ms').notNull().default(0),
    /** Number of failures in a row for this customer, and the time of the next attempt. */
    failures: int('failures').notNull().default(0),
    retryAtMs: int('retry_at_ms').notNull().default(0),
    createdAtMs: int('created_at_ms').notNull(),
  },
  (t) => [
    uniqueIndex('stripe_customers_customer').on(t.customerId),
    index('stripe_customers_fetched').on(t.fetchedAtMs, t.userId).where(sql`customer_id is not null`),
  ],
);

/** A subscription as Stripe last described it. */
export const subscriptions = table(
  'subscriptions',
  {
    /** Stripe's id. */
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    product: oneOf('product', products).notNull(),
    tier: oneOf('tier', paidTiers).notNull(),
    period: oneOf('period', billingPeriods).notNull(),
    state: oneOf('state', subscriptionStates).notNull(),
    /** Usage resets monthly on the day and at the time of this moment. */
    anchorMs: int('anchor_ms').notNull(),
    periodStartMs: int('period_start_ms').notNull(),
    periodEndMs: int('period_end_ms').notNull(),
    trialUntilMs: int('trial_until_ms'),
    /**
     * End of the time for which paid invoices cover the plan, less what was refunded; null if they cover
     * nothing, or were not read.
     */
    paidUntilMs: int('paid_until_ms'),
    /** Time of the first failure of the payment that is overdue. */
    failedAtMs: int('failed_at_ms'),
    /** While a payment is overdue: the plan stays until then. */
    graceUntilMs: int('grace_until_ms'),
    /** Time at which a cancelled subscription stops giving its plan, or stopped. */
    endsAtMs: int('ends_at_ms'),
    /** The smaller plan that was chosen and starts later. */
    nextTier: oneOf('next_tier', paidTiers),
    nextPeriod: oneOf('next_period', billingPeriods),
    nextAtMs: int('next_at_ms'),
    /**
     * Stripe's charge for a period, in minor units without tax, which applies from the date above on; null if
     * it is not read yet.
     */
    price: int('price'),
    nextPrice: int('next_price'),
    /**
     * Stripe's next charge, with discounts, credits and tax, and its time; null if there is none, or it is
     * not read yet.
     */
    nextCharge: int('next_charge'),
    nextChargeAtMs: int('next_charge_at_ms'),
    /** True if a debit is under way: its bank has not answered yet. */
    isPaymentUnderWay: bool('is_payment_under_way').notNull().default(false),
    /** True if the operator has paused the payments, and until when; null until they resume them. */
    isPaused: bool('is_paused').notNull().default(false),
    pausedUntilMs: int('paused_until_ms'),
    currency: text('currency'),
    problem: oneOf('problem', subscriptionProblems),
    /** Time by Stripe's clock. */
    createdAtMs: int('created_at_ms').notNull(),
  },
  (t) => [
    uniqueIndex('subscriptions_live')
      .on(t.userId, t.product)
      .where(within(sql`state`, liveSubscriptionStates)),
    index('subscriptions_user').on(t.userId, t.id),
    index('subscriptions_plans').on(t.userId, t.product).where(within(sql`state`, planStates)),
    index('subscriptions_grace').on(t.graceUntilMs).where(sql`state = 'grace'`),
    index('subscriptions_listed').on(t.id).where(within(sql`state`, liveSubscriptionStates)),
    check('subscriptions_product', within(t.product, products)),
    check('subscriptions_tier', within(t.tier, paidTiers)),
    check('subscriptions_period', within(t.period, billingPeriods)),
    check('subscriptions_state', within(t.state, subscriptionStates)),
  ],
);

export const checkoutStates = ['open', 'completed', 'expired'] as const;
export type CheckoutState = (typeof checkoutStates)[number];

/** A visit to Stripe's checkout page. A user has at most one open for each product. */
export const checkouts = table(
  'checkouts',
  {
    /** Also the idempotency key of the request that creates the session. */
    id: text('id').primaryKey(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    product: oneOf('product', products).notNull(),
    tier: oneOf('tier', paidTiers).notNull(),
    period: oneOf('period', billingPeriods).notNull(),
    state: oneOf('state', checkoutStates).notNull().default('open'),
    /** Null until Stripe has answered. */
    sessionId: text('session_id'),
    /** The Twitch id whose trial it offers. */
    trialTwitchId: text('trial_twitch_id'),
    createdAtMs: int('created_at_ms').notNull(),
    expiresAtMs: int('expires_at_ms').notNull(),
  },
  (t) => [
    uniqueIndex('checkouts_open').on(t.userId, t.product).where(sql`state = 'open'`),
    uniqueIndex('checkouts_session').on(t.sessionId),
    index('checkouts_due').on(t.expiresAtMs).where(sql`state = 'open'`),
    index('checkouts_created').on(t.createdAtMs),
    index('checkouts_user').on(t.userId, t.id),
    check('checkouts_state', within(t.state, checkoutStates)),
  ],
);

/** One trial for each Twitch id and product, ever: it is no part of the account and outlives it. */
export const trials = table(
  'trials',
  {
    twitchId: text('twitch_id').notNull(),
    product: oneOf('product', products).notNull(),
    /** The checkout that offers it. Without a subscription the trial is free again once that has expired. */
    checkoutId: text('checkout_id').notNull(),
    subscriptionId: text('subscription_id'),
    takenAtMs: int('taken_at_ms').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.twitchId, t.product] }),
    index('trials_checkout').on(t.checkoutId),
    check('trials_product', within(t.product, products)),
  ],
);

export const billingActKinds = ['refund', 'cancel', 'release', 'void', 'expire'] as const;
export type BillingActKind = (typeof billingActKinds)[number];
export const billingActStates = ['due', 'done', 'withdrawn', 'abandoned'] as const;
export type BillingActState = (typeof billingActStates)[number];
export const endedActStates = [
  'done',
  'withdrawn',
  'abandoned',
] as const satisfies readonly BillingActState[];
/** The reasons why a subscription must end and be refunded. */
export const refundReasons = ['duplicate', 'accountDeleted'] as const;
export type RefundReason = (typeof refundReasons)[number];

/**
 * Acts that Stripe has to carry out, written with the decision: to refund a payment, to cancel a
 * subscription, to release a schedule, to void an invoice, to close a checkout page. Each is retried until it
 * is done.
 */
export const billingActs = table(
  'billing_acts',
  {
    kind: oneOf('kind', billingActKinds).notNull(),
    /** Stripe's id of the act's subject. */
    subjectId: text('subject_id').notNull(),
    userId: text('user_id')
      .notNull()
      .references(() => users.id),
    /** The reason of a refund. */
    why: oneOf('why', refundReasons),
    state: oneOf('state', billingActStates).notNull().default('due'),
    /** A part of the idempotency key: under one key Stripe repeats one answer for a day, whatever it is. */
    attempt: int('attempt').notNull().default(1),
    /** Number of failures in a row, and the last error. */
    failures: int('failures').notNull().default(0),
    lastError: text('last_error'),
    wantedAtMs: int('wanted_at_ms').notNull(),
    nextAtMs: int('next_at_ms').notNull(),
    endedAtMs: int('ended_at_ms'),
  },
  (t) => [
    primaryKey({ columns: [t.kind, t.subjectId] }),
    index('billing_acts_due').on(t.nextAtMs).where(sql`state = 'due'`),
    index('billing_acts_user').on(t.userId).where(sql`state = 'due'`),
    index('billing_acts_of_user').on(t.userId, t.wantedAtMs),
    index('billing_acts_stuck')
      .on(t.wantedAtMs)
      .where(within(sql`state`, ['due', 'abandoned'])),
    index('billing_acts_ended').on(t.endedAtMs).where(within(sql`state`, endedActStates)),
    check('billing_acts_kind', within(t.kind, billingActKinds)),
    check('billing_acts_state', within(t.state, billingActStates)),
    check('billing_acts_why', within(t.why, refundReasons)),
  ],
);

/** Events that Stripe sent, by their ids: each is delivered at least once. A worker handles them. */
export const stripeEvents = table(
  'stripe_events',
  {
    id: text('id').primaryKey(),
    type: text('type').notNull(),
    customerId: text('customer_id'),
    /** The object that the event is about; read again from Stripe before anything follows from it. */
    objectId: text('object_id'),
    /** Time by Stripe's clock; null for an event that an older version stored. */
    occurredAtMs: int('occurred_at_ms'),
    receivedAtMs: int('received_at_ms').notNull(),
    handledAtMs: int('handled_at_ms'),
    attempts: int('attempts').notNull().default(0),
    retryAtMs: int('retry_at_ms').notNull().default(0),
  },
  (t) => [
    index('stripe_events_due').on(t.retryAtMs, t.id).where(sql`handled_at_ms is null`),
    index('stripe_events_received').on(t.receivedAtMs),
    index('stripe_events_failures').on(t.objectId).where(sql`type = 'invoice.payment_failed'`),
  ],
);
