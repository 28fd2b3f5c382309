import type Stripe from 'stripe';
import type { BillingActKind } from '#db/schema/billing.ts';
import type { BillingAct } from '#domain/subscription/billing-acts.ts';

/** The state of an act's subject: ready for the act, in no need of it, or not ready for it yet. */
export type Standing = 'open' | 'over' | 'early';

interface Performer {
  /** For the log and for mails to the operator. */
  what: string;
  read(stripe: Stripe, subjectId: string): Promise<Standing>;
  run(stripe: Stripe, act: BillingAct, options: Stripe.RequestOptions): Promise<unknown>;
}

/** The money is back already: by an earlier refund, or because the bank took it. */
const returnedCodes = new Set<unknown>(['charge_already_refunded', 'charge_disputed']);

/** For each kind of act: how to do it, and how to see that it is done. */
export const performers: Record<BillingActKind, Performer> = {
  refund: {
    what: 'refund a payment',
    // Asked again Stripe says so; a key that may refund need not be one that may read payments.
    read: async () => 'open',
    async run(stripe, { subjectId, why }, options) {
      const metadata = { keepsake_refund: why };
      try {
        await stripe.refunds.create({ payment_intent: subjectId, metadata }, options);
      } catch (error) {
        if (!returnedCodes.has((error as { code?: unknown }).code)) throw error;
      }
    },
  },
  cancel: {
    what: 'cancel a subscription',
    async read(stripe, subjectId) {
      const { status } = await stripe.subscriptions.retrieve(subjectId);
      return status === 'canceled' || status === 'incomplete_expired' ? 'over' : 'open';
    },
    run: (stripe, { subjectId }, options) =>
      stripe.subscriptions.cancel(subjectId, { invoice_now: false, prorate: false }, options),
  },
  release: {
    what: 'release a schedule',
    async read(stripe, subjectId) {
      const { status } = await stripe.subscriptionSchedules.retrieve(subjectId);
      return status === 'active' || status === 'not_started' ? 'open' : 'over';
    },
    run: (stripe, { subjectId }, options) => stripe.subscriptionSchedules.release(subjectId, {}, options),
  },
  void: {
    what: 'void an invoice',
    async read(stripe, subjectId) {
      const { status } = await stripe.invoices.retrieve(subjectId);
      if (status !== 'open') return 'over';
      // Stripe voids no invoice whose payment a bank is about to answer, https://github.com/frappe/press/pull/2421.
      const expand = ['data.payment.payment_intent'];
      const { data } = await stripe.invoicePayments.list({ invoice: subjectId, limit: 100, expand });
      return data.some(({ payment }) => isUnderWay(payment.payment_intent)) ? 'early' : 'open';
    },
    run: (stripe, { subjectId }, options) => stripe.invoices.voidInvoice(subjectId, {}, options),
  },
  expire: {
    what: 'close a checkout',
    async read(stripe, subjectId) {
      const { status } = await stripe.checkout.sessions.retrieve(subjectId);
      return status === 'open' ? 'open' : 'over';
    },
    run: (stripe, { subjectId }, options) => stripe.checkout.sessions.expire(subjectId, {}, options),
  },
};

const isUnderWay = (intent: string | Stripe.PaymentIntent | null | undefined): boolean =>
  typeof intent === 'object' && intent?.status === 'processing';
