import { z } from 'zod';
import { deleteCustomer } from '#sandbox/stripe/customers.ts';
import { addItem, chargeExtra, giveDiscount } from '#sandbox/stripe/dashboard.ts';
import { disputeCharge, endInquiry } from '#sandbox/stripe/disputes.ts';
import type { Dispute, Subscription } from '#sandbox/stripe/stored.ts';
import { updateSubscription } from '#sandbox/stripe/subscription-updates.ts';
import { text, wholeNumber } from './fields.ts';
import { type Html, html } from './html.ts';
import type { Panel } from './panel.ts';

const page = '/stripe';
const amount = wholeNumber(1, 99_999_999);

/** Acts of the account's owner on a subscription, folded up. */
export function subscriptionByHand({ id, pause_collection }: Subscription): Html {
  const at = `/stripe/subscriptions/${id}`;
  const pause = pause_collection
    ? html`<button name="collection" value="resume">Collect again</button>`
    : html`<button name="collection" value="void">Pause and void invoices</button><button name="collection" value="keep_as_draft">Pause and keep drafts</button><button name="collection" value="mark_uncollectible">Pause and write off</button>`;
  return html`<details><summary>In Stripe’s dashboard</summary>
<form method="post" action="${at}/item"><label>Second item <input name="name" required maxlength="100" value="Support"></label><label class="short">Cents <input name="amount" type="number" min="1" value="200"></label><button>Add</button></form>
<form method="post" action="${at}/charge"><label>One-off charge <input name="description" required maxlength="100" value="A poster"></label><label class="short">Cents <input name="amount" type="number" min="1" value="300"></label><button name="invoiced" value="now">Charge now</button><button name="invoiced" value="next">With the next invoice</button></form>
<form method="post" action="${at}/discount"><label class="short">Discount in % <input name="percent" type="number" min="1" max="100" value="50"></label><button name="duration" value="once">Once</button><button name="duration" value="forever">Forever</button></form>
<form method="post" action="${at}/collection">${pause}</form></details>`;
}

/** The end of an inquiry, which took no money. */
export const inquiryForm = ({ id }: Dispute): Html =>
  html`<form method="post" action="/stripe/inquiries/${id}/end"><button name="outcome" value="closed">Closed</button><button class="danger" name="outcome" value="disputed">Disputed</button></form>`;

function addSubscriptionVerbs(panel: Panel): void {
  const { stripe } = panel.worlds;
  panel.verb(
    '/stripe/subscriptions/:subscriptionId/item',
    'Adds a second item `name` for `amount` cents a period.',
    z.object({ name: text(100), amount }),
    ({ subscriptionId }, given) => {
      stripe.transaction(() => addItem(stripe, subscriptionId, given));
      return { said: `${given.name} is charged with the next invoice.`, page };
    },
  );
  panel.verb(
    '/stripe/subscriptions/:subscriptionId/charge',
    'Charges `amount` cents once for `description`: `invoiced` now, or with the next invoice.',
    z.object({ description: text(100), amount, invoiced: z.enum(['now', 'next']) }),
    ({ subscriptionId }, { invoiced, ...given }) => {
      const isInvoicedNow = invoiced === 'now';
      stripe.transaction(() => chargeExtra(stripe, subscriptionId, { ...given, isInvoicedNow }));
      return { said: isInvoicedNow ? 'Charged.' : 'Charged with the next invoice.', page };
    },
  );
  panel.verb(
    '/stripe/subscriptions/:subscriptionId/discount',
    'Gives `percent` off: `duration` is once or forever.',
    z.object({ percent: wholeNumber(1, 100), duration: z.enum(['once', 'forever']) }),
    ({ subscriptionId }, given) => {
      stripe.transaction(() => giveDiscount(stripe, subscriptionId, given));
      return { said: `${given.percent} % off.`, page };
    },
  );
  panel.verb(
    '/stripe/subscriptions/:subscriptionId/collection',
    'Pauses the collection of payments: `collection` says what becomes of invoices (void, keep_as_draft, mark_uncollectible), or is resume.',
    z.object({ collection: z.enum(['void', 'keep_as_draft', 'mark_uncollectible', 'resume']) }),
    ({ subscriptionId }, { collection }) => {
      const paused = collection === 'resume' ? null : { behavior: collection };
      stripe.transaction(() => updateSubscription(stripe, subscriptionId, { pause_collection: paused }));
      return { said: paused ? 'Collection is paused.' : 'Payments are collected again.', page };
    },
  );
}

/** Acts of the account's owner by hand, and inquiries of banks. */
export function addDashboardVerbs(panel: Panel): void {
  const { stripe } = panel.worlds;
  addSubscriptionVerbs(panel);
  panel.verb(
    '/stripe/customers/:customerId/delete',
    'Deletes a customer; their subscriptions end at once.',
    z.object({}),
    ({ customerId }) => {
      stripe.transaction(() => deleteCustomer(stripe, customerId));
      return { said: 'The customer is deleted.', page };
    },
  );
  panel.verb(
    '/stripe/charges/:chargeId/inquire',
    'The bank asks about a charge, and takes no money.',
    z.object({}),
    ({ chargeId }) => {
      const inquiry = stripe.transaction(() => disputeCharge(stripe, chargeId, 'inquiry'));
      return { said: 'The bank asks.', page, result: { inquiry: inquiry.id } };
    },
  );
  panel.verb(
    '/stripe/inquiries/:inquiryId/end',
    'Ends an inquiry: `outcome` is closed, or disputed, which takes the money.',
    z.object({ outcome: z.enum(['closed', 'disputed']) }),
    ({ inquiryId }, { outcome }) => {
      stripe.transaction(() => endInquiry(stripe, inquiryId, outcome));
      return { said: outcome === 'closed' ? 'The inquiry is closed.' : 'It is a dispute now.', page };
    },
  );
}
