import { hasEnded } from '#sandbox/stripe/cancellations.ts';
import { lastPeriodEnd } from '#sandbox/stripe/scheduled-cancellations.ts';
import type { Charge, Customer, Subscription } from '#sandbox/stripe/stored.ts';
import { money, nameOfPrice } from '#sandbox/stripe/subscriptions.ts';
import { type Html, html } from './html.ts';
import { count, time } from './layout.ts';
import type { Panel, PanelWorlds } from './panel.ts';
import { inquiryForm, subscriptionByHand } from './stripe-dashboard.ts';

const stripeTime = (seconds: number) => time(seconds * 1000);

function whatComes(subscription: Subscription): Html {
  if (subscription.cancel_at !== null) return html`cancels ${stripeTime(subscription.cancel_at)}`;
  const word = subscription.status === 'trialing' ? 'trial until' : 'paid until';
  return html`${word} ${stripeTime(lastPeriodEnd(subscription))}`;
}

function subscriptionRow({ stripe }: PanelWorlds, subscription: Subscription): Html {
  const plans = subscription.items.data.map(
    ({ price }) =>
      `${nameOfPrice(stripe, price)}, ${money(price.unit_amount ?? 0, price.currency)} per ${price.recurring?.interval}`,
  );
  const badge = subscription.status === 'active' || subscription.status === 'trialing' ? 'badge on' : 'badge';
  const isOver = hasEnded(subscription);
  const end = html`<form method="post" action="/stripe/subscriptions/${subscription.id}/cancel"><button class="danger">Cancel now</button></form>`;
  return html`<li><div class="what">${plans.join('; ')} <span class="${badge}">${subscription.status}</span>${subscription.pending_update && html` <span class="badge">update pending</span>`}${subscription.pause_collection && html` <span class="badge">collection paused</span>`}
<small>${isOver ? html`ended ${stripeTime(subscription.ended_at ?? 0)}` : whatComes(subscription)}, <span class="mono">${subscription.id}</span></small></div>${!isOver && end}</li>`;
}

function chargeRow({ stripe }: PanelWorlds, charge: Charge): Html {
  const dispute = stripe.all('dispute').find((one) => one.charge === charge.id);
  const state = !charge.paid
    ? charge.status === 'pending'
      ? 'pending'
      : 'declined'
    : dispute
      ? `disputed, ${dispute.status.replaceAll('_', ' ')}`
      : charge.refunded
        ? 'refunded'
        : 'paid';
  const canAct = charge.paid && !charge.refunded && !dispute;
  const acts = html`<form method="post" action="/stripe/charges/${charge.id}/refund"><button>Refund</button></form>
<form method="post" action="/stripe/charges/${charge.id}/dispute"><button class="danger">Dispute</button></form><form method="post" action="/stripe/charges/${charge.id}/inquire"><button>Inquire</button></form>`;
  const close = html`<form method="post" action="/stripe/disputes/${dispute?.id ?? ''}/close"><button name="outcome" value="won">Won</button><button name="outcome" value="lost">Lost</button></form>`;
  return html`<li><div class="what">${money(charge.amount, charge.currency)} <span class="badge">${state}</span><small>${stripeTime(charge.created)}</small></div>
${canAct && acts}${dispute?.status === 'needs_response' && close}${dispute?.status === 'warning_needs_response' && inquiryForm(dispute)}</li>`;
}

function paymentForm({ stripe }: PanelWorlds, customer: Customer): Html {
  const ordered = stripe.state.paymentTrouble[customer.id];
  const waiting =
    ordered &&
    html`<p class="hint">${count(ordered.times, 'payment')} will ${ordered.outcome === 'declined' ? 'be declined' : 'ask for 3-D Secure'}.</p>`;
  return html`${waiting}<form method="post" action="/stripe/customers/${customer.id}/next-payment"><label class="short">Times <input name="times" type="number" min="1" max="100" value="1"></label>
<button name="outcome" value="declined">Next payment fails</button><button name="outcome" value="authenticate">Next payment asks for 3-D Secure</button>${ordered && html`<button name="outcome" value="succeeds">Call it off</button>`}</form>`;
}

function customerSection(worlds: PanelWorlds, customer: Customer): Html {
  const { stripe } = worlds;
  const subscriptions = stripe.all('subscription').filter((one) => one.customer === customer.id);
  const charges = stripe
    .all('charge')
    .filter((one) => one.customer === customer.id)
    .slice(0, 10);
  const rows = subscriptions.map((subscription) => subscriptionRow(worlds, subscription));
  return html`<section><h2>${customer.name || customer.email || customer.id}</h2><p class="hint">${customer.email} <span class="mono">${customer.id}</span></p>
${rows.length > 0 ? html`<ul class="rows">${rows}</ul>` : html`<p class="hint">No subscription yet.</p>`}
${subscriptions.filter((one) => !hasEnded(one)).map(subscriptionByHand)}${paymentForm(worlds, customer)}<form method="post" action="/stripe/customers/${customer.id}/delete"><button class="danger">Delete customer</button></form>${charges.length > 0 && html`<ul class="rows">${charges.map((charge) => chargeRow(worlds, charge))}</ul>`}</section>`;
}

function choice(name: string, values: Record<string, string>, chosen: string): Html {
  const options = Object.entries(values).map(
    ([value, label]) =>
      html`<option value="${value}"${value === chosen ? html` selected` : null}>${label}</option>`,
  );
  return html`<select name="${name}">${options}</select>`;
}

function accountSection({ stripe }: PanelWorlds): Html {
  const { afterRetries, portalCancels, debits } = stripe.state.settings;
  const ends = { cancel: 'is cancelled', unpaid: 'becomes unpaid', past_due: 'stays past due' };
  const fields = {
    cancel_at: 'cancel_at, as it does now',
    cancel_at_period_end: 'cancel_at_period_end, as it did',
  };
  return html`<section><h2>The account’s choices</h2><form method="post" action="/stripe/settings">
<label class="wide">After the last failed payment a subscription ${choice('afterRetries', ends, afterRetries)}</label>
<label class="wide">The portal cancels by ${choice('portalCancels', fields, portalCancels)}</label>
<label class="wide">Bank debits, which are paid or fail days later, are ${choice('debits', { off: 'not offered', on: 'offered beside cards' }, debits ? 'on' : 'off')}</label><button>Save</button></form></section>`;
}

function eventsSection({ stripe }: PanelWorlds): Html {
  const rows = stripe
    .all('event')
    .slice(0, 15)
    .map(
      (event) =>
        html`<li><span class="what">${event.type} ${event.pending_webhooks > 0 && html`<span class="badge">not delivered</span>`}</span><small>${stripeTime(event.created)}</small></li>`,
    );
  const waiting = stripe.state.deliveries.length;
  return html`<section><h2>Latest events</h2><p class="hint">${waiting === 0 ? 'All webhooks are delivered.' : `${count(waiting, 'webhook')} on the way.`}</p><ul class="rows">${rows}</ul></section>`;
}

/** The customers of the sandbox's Stripe, their payments, and the actions on them. */
export function addStripePages(panel: Panel): void {
  const { worlds } = panel;
  panel.page('/stripe', () => {
    const customers = worlds.stripe.all('customer').slice(0, 50);
    const none = html`<section><p class="hint">Nobody has subscribed yet. Choose a plan under Billing in the product, and pay with a demo card.</p></section>`;
    return {
      title: 'Stripe',
      section: '/stripe',
      body: html`<p>Who pays the product, by demo cards. <a href="/clock">The clock</a> brings the end of a trial and the next payment; an invoice is charged an hour after its period began, and a failed payment is tried again after 3, 5 and 7 days.</p>
<div class="columns"><div>${customers.length > 0 ? customers.map((customer) => customerSection(worlds, customer)) : none}</div><div>${accountSection(worlds)}${eventsSection(worlds)}</div></div>`,
    };
  });
}
