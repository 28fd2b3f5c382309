import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { cancelSubscription, hasEnded } from './cancellations.ts';
import { cardChoice, chosenCard } from './card-form.ts';
import { attachCard, declineMessage } from './cards.ts';
import { challengeUrl, problemOf } from './invoice-pages.ts';
import { paymentOf, voidInvoice } from './invoices.ts';
import { escapeHtml, problemNote, sendPage, stripePage } from './page-layout.ts';
import { StripeRefusal } from './refusals.ts';
import { cancellationChanges, lastPeriodEnd } from './scheduled-cancellations.ts';
import type { PortalConfiguration, PortalSession, Subscription } from './stored.ts';
import { type SubscriptionChange, updateSubscription } from './subscription-updates.ts';
import { money, nameOfPrice } from './subscriptions.ts';
import type { StripeWorld } from './world.ts';

interface Visit {
  session: PortalSession;
  features: PortalConfiguration['features'];
  form: URLSearchParams;
}

const day = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 10);

const button = (path: string, label: string, fields: Record<string, string> = {}, isPrimary = false) =>
  `<form class="inline" method="post" action="${escapeHtml(path)}">${Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`)
    .join('')}<button${isPrimary ? ' class="primary"' : ''}>${escapeHtml(label)}</button></form>`;

const isEnding = (subscription: Subscription) =>
  subscription.cancel_at !== null || subscription.cancel_at_period_end;

function choices(world: StripeWorld, { session, features }: Visit, subscription: Subscription): string {
  const { subscription_update: update } = features;
  const [item] = subscription.items.data;
  if (!update.enabled || !item || isEnding(subscription)) return '';
  const prices = (update.products ?? [])
    .flatMap((product) => product.prices)
    .filter((id) => id !== item.price.id);
  return prices
    .flatMap((id) => world.find('price', id) ?? [])
    .map((price) =>
      button(
        `/p/session/${session.id}/update`,
        `Switch to ${nameOfPrice(world, price)}, ${money(price.unit_amount ?? 0, price.currency)} per ${price.recurring?.interval}`,
        { subscription: subscription.id, price: price.id },
      ),
    )
    .join(' ');
}

function subscriptionRow(world: StripeWorld, visit: Visit, subscription: Subscription): string {
  const { session, features } = visit;
  const names = subscription.items.data.map(
    ({ price }) =>
      `${nameOfPrice(world, price)}, ${money(price.unit_amount ?? 0, price.currency)} per ${price.recurring?.interval}`,
  );
  const when = isEnding(subscription)
    ? `Cancels on ${day(subscription.cancel_at ?? lastPeriodEnd(subscription))}`
    : `Renews on ${day(lastPeriodEnd(subscription))}`;
  const path = `/p/session/${session.id}`;
  const cancel = features.subscription_cancel.enabled
    ? button(
        isEnding(subscription) ? `${path}/resume` : `${path}/cancel`,
        isEnding(subscription) ? 'Don’t cancel subscription' : 'Cancel subscription',
        { subscription: subscription.id },
      )
    : '';
  return `<li><strong>${escapeHtml(names.join('; '))}</strong> <small>${escapeHtml(subscription.status)}</small><br>${when}<br>${cancel} ${choices(world, visit, subscription)}</li>`;
}

function cardSection(world: StripeWorld, { session, features }: Visit): string {
  if (!features.payment_method_update.enabled) return '';
  const own = world.require('customer', session.customer).invoice_settings.default_payment_method;
  const charged = world
    .all('subscription')
    .find((one) => one.customer === session.customer && !hasEnded(one));
  const id = own ?? charged?.default_payment_method;
  const card = id ? world.find('payment_method', id)?.card : null;
  const current = card ? `<p>${escapeHtml(card.brand)} ending in ${card.last4}</p>` : '';
  return `<h2>Payment method</h2>${current}<form method="post" action="/p/session/${session.id}/card">${cardChoice('Add a demo card')}<button>Use this card</button></form>`;
}

function invoiceSection(world: StripeWorld, { session, features }: Visit): string {
  if (!features.invoice_history.enabled) return '';
  const rows = world
    .all('invoice')
    .filter(({ customer, status }) => customer === session.customer && status !== 'draft')
    .slice(0, 20)
    .map(
      (invoice) =>
        `<li><a href="/i/${invoice.id}">${escapeHtml(invoice.number ?? invoice.id)}</a>, ${day(invoice.created)}: ${money(invoice.total, invoice.currency)}, ${escapeHtml(invoice.status ?? '')}</li>`,
    );
  return `<h2>Invoices</h2><ul class="rows">${rows.join('')}</ul>`;
}

function homePage(world: StripeWorld, visit: Visit, problem: string | null): string {
  const { session } = visit;
  const rows = world
    .all('subscription')
    .filter((subscription) => subscription.customer === session.customer && !hasEnded(subscription))
    .map((subscription) => subscriptionRow(world, visit, subscription));
  const back = session.return_url
    ? `<p><a href="${escapeHtml(session.return_url)}">Return to the product</a></p>`
    : '';
  return stripePage(
    'Your subscriptions',
    `${problemNote(problem)}${back}<ul class="rows">${rows.join('') || '<li>None.</li>'}</ul>${cardSection(world, visit)}${invoiceSection(world, visit)}`,
  );
}

/** A link that leads to one task shows nothing else. */
function flowPage(world: StripeWorld, visit: Visit): string | null {
  const { session } = visit;
  const { flow } = session;
  if (!flow || isDone(visit)) return null;
  const path = `/p/session/${session.id}`;
  const back = session.return_url ? `<p><a href="${escapeHtml(session.return_url)}">Go back</a></p>` : '';
  if (flow.type === 'payment_method_update')
    return stripePage('Update your payment method', cardSection(world, visit) + back);
  if (flow.subscription_cancel) {
    const subscription = flow.subscription_cancel.subscription;
    return stripePage(
      'Cancel your subscription',
      button(`${path}/cancel`, 'Cancel subscription', { subscription }, true) + back,
    );
  }
  const confirm = flow.subscription_update_confirm;
  if (confirm) {
    const [item] = confirm.items;
    const price = world.find('price', item?.price ?? '');
    const label = price
      ? `${nameOfPrice(world, price)}, ${money(price.unit_amount ?? 0, price.currency)} per ${price.recurring?.interval}`
      : '';
    return stripePage(
      'Confirm your update',
      `<p>${escapeHtml(label)}</p>${button(`${path}/update`, 'Confirm', { subscription: confirm.subscription, price: price?.id ?? '' }, true)}${back}`,
    );
  }
  return null;
}

const isDone = ({ form }: Visit) => form.has('done');

function finish(reply: FastifyReply, { session }: Visit): FastifyReply {
  const after = session.flow?.after_completion;
  const target = after?.type === 'redirect' ? after.redirect?.return_url : null;
  return reply.redirect(target ?? `/p/session/${session.id}?done`, 303);
}

/** Cancels as the account's portal does: in flexible billing mode by `cancel_at` alone, stripe/stripe-node#2470. */
function cancel(world: StripeWorld, { features }: Visit, subscription: Subscription): void {
  if (features.subscription_cancel.mode === 'immediately') {
    cancelSubscription(world, subscription.id, { reason: 'cancellation_requested' });
    return;
  }
  const isOlder = world.state.settings.portalCancels === 'cancel_at_period_end';
  const change = isOlder ? { cancel_at_period_end: true } : ({ cancel_at: 'max_period_end' } as const);
  world.update(
    'subscription',
    subscription.id,
    cancellationChanges(world, subscription, change),
    'customer.subscription.updated',
  );
}

function switchPrice(
  world: StripeWorld,
  visit: Visit,
  subscription: Subscription,
  reply: FastifyReply,
): FastifyReply {
  const [item] = subscription.items.data;
  const change: SubscriptionChange = {
    items: [{ id: item?.id, price: visit.form.get('price') ?? '' }],
    proration_behavior: visit.features.subscription_update
      .proration_behavior as SubscriptionChange['proration_behavior'],
    payment_behavior: 'pending_if_incomplete',
  };
  const updated = world.transaction(() => updateSubscription(world, subscription.id, change));
  const invoice = updated.latest_invoice ?? '';
  const intent = paymentOf(world, invoice)?.intent;
  if (updated.pending_update && intent?.status === 'requires_action') {
    return reply.redirect(challengeUrl(intent.id, `/p/session/${visit.session.id}?done`), 303);
  }
  if (!updated.pending_update) return finish(reply, visit);
  const problem = problemOf(world, invoice);
  world.transaction(() => {
    voidInvoice(world, invoice);
    world.update('subscription', updated.id, { pending_update: null }, 'customer.subscription.updated');
  });
  return sendPage(reply, homePage(world, visit, problem), 402);
}

function saveCard(world: StripeWorld, visit: Visit, reply: FastifyReply): FastifyReply {
  const card = chosenCard(visit.form);
  if (!card || card.attach === 'declined') {
    return sendPage(
      reply,
      homePage(world, visit, card ? declineMessage(card.declineCode) : 'Your card number is invalid.'),
      402,
    );
  }
  world.transaction(() => {
    const customer = world.require('customer', visit.session.customer);
    const { id } = attachCard(world, card, customer.id);
    world.update(
      'customer',
      customer.id,
      { invoice_settings: { ...customer.invoice_settings, default_payment_method: id } },
      'customer.updated',
    );
    for (const subscription of world.all('subscription')) {
      if (subscription.customer === customer.id && !hasEnded(subscription))
        world.update(
          'subscription',
          subscription.id,
          { default_payment_method: id },
          'customer.subscription.updated',
        );
    }
  });
  return finish(reply, visit);
}

/** The customer portal: cancel and go on, switch, change the card, read invoices. */
export function registerPortalPages(app: FastifyInstance, world: StripeWorld): void {
  const visitOf = (request: FastifyRequest): Visit | null => {
    const { id } = request.params as { id: string };
    const session = world.find('billing_portal.session', id);
    if (!session) return null;
    const { features } = world.require('billing_portal.configuration', session.configuration);
    const sent = request.method === 'POST' ? String(request.body ?? '') : (request.url.split('?')[1] ?? '');
    return { session, features, form: new URLSearchParams(sent) };
  };
  const missing = (reply: FastifyReply) =>
    sendPage(reply, stripePage('This link is no longer valid', ''), 404);
  app.get('/p/session/:id', (request, reply) => {
    const visit = visitOf(request);
    return visit ? sendPage(reply, flowPage(world, visit) ?? homePage(world, visit, null)) : missing(reply);
  });
  const verb = (
    path: string,
    act: (visit: Visit, subscription: Subscription, reply: FastifyReply) => FastifyReply,
  ) =>
    app.post(`/p/session/:id/${path}`, (request, reply) => {
      const visit = visitOf(request);
      const subscription = world.find('subscription', visit?.form.get('subscription') ?? '');
      if (!visit || subscription?.customer !== visit.session.customer || hasEnded(subscription))
        return missing(reply);
      try {
        return act(visit, subscription, reply);
      } catch (error) {
        if (!(error instanceof StripeRefusal)) throw error;
        return sendPage(reply, homePage(world, visit, error.message), error.status);
      }
    });
  verb('cancel', (visit, subscription, reply) => {
    if (!visit.features.subscription_cancel.enabled) return missing(reply);
    world.transaction(() => cancel(world, visit, subscription));
    return finish(reply, visit);
  });
  verb('resume', (visit, subscription, reply) => {
    world.transaction(() =>
      world.update(
        'subscription',
        subscription.id,
        cancellationChanges(world, subscription, { cancel_at: '' }),
        'customer.subscription.updated',
      ),
    );
    return finish(reply, visit);
  });
  verb('update', (visit, subscription, reply) => switchPrice(world, visit, subscription, reply));
  app.post('/p/session/:id/card', (request, reply) => {
    const visit = visitOf(request);
    return visit?.features.payment_method_update.enabled ? saveCard(world, visit, reply) : missing(reply);
  });
}
