import type { FastifyInstance, FastifyReply } from 'fastify';
import { cardChoice, challengeForm, chosenCard } from './card-form.ts';
import { attachCard, declineMessage } from './cards.ts';
import { answerChallenge, collectInvoice, subscriptionOf } from './collect.ts';
import { paymentOf } from './invoices.ts';
import { escapeHtml, problemNote, sendPage, stripePage } from './page-layout.ts';
import type { Invoice } from './stored.ts';
import { money } from './subscriptions.ts';
import type { StripeWorld } from './world.ts';

function invoicePage(world: StripeWorld, invoice: Invoice, problem: string | null): string {
  const lines = invoice.lines.data.map(
    ({ description, amount, currency }) =>
      `<li>${escapeHtml(description ?? '')}: <strong>${money(amount, currency)}</strong></li>`,
  );
  const canPay = invoice.status === 'open';
  const intent = paymentOf(world, invoice.id)?.intent;
  const confirm =
    intent?.status === 'requires_action'
      ? `<p>Your bank asks you to confirm this payment: <a href="${challengeUrl(intent.id, `/i/${invoice.id}`)}">Confirm payment</a></p>`
      : '';
  const pay = `<form method="post">${cardChoice()}<p><button class="primary">Pay ${money(invoice.amount_due, invoice.currency)}</button></p></form>`;
  return stripePage(
    `Invoice ${invoice.number ?? ''}`,
    `${problemNote(problem)}<p>${escapeHtml(invoice.status ?? '')}, ${money(invoice.amount_due, invoice.currency)} due</p>
<ul class="rows">${lines.join('')}</ul>${canPay ? confirm + pay : ''}`,
  );
}

/** Returns why the latest attempt to pay an invoice failed. */
export function problemOf(world: StripeWorld, invoiceId: string): string {
  return paymentOf(world, invoiceId)?.intent.last_payment_error?.message ?? declineMessage(null);
}

/** The page on which a 3-D Secure challenge is answered, and the page on this site that follows. */
export function challengeUrl(intentId: string, back: string): string {
  return `/challenge/${intentId}?back=${encodeURIComponent(back)}`;
}

const ownPath = (back: unknown) => (typeof back === 'string' && /^\/[^/\\]/.test(back) ? back : null);

function payByCard(world: StripeWorld, invoice: Invoice, body: unknown, reply: FastifyReply): FastifyReply {
  const card = chosenCard(new URLSearchParams(String(body ?? '')));
  if (!card) return sendPage(reply, invoicePage(world, invoice, 'Your card number is invalid.'), 402);
  if (card.attach === 'declined')
    return sendPage(reply, invoicePage(world, invoice, declineMessage(card.declineCode)), 402);
  const paid = world.transaction(() => {
    const method = attachCard(world, card, invoice.customer ?? '');
    const subscription = subscriptionOf(world, invoice);
    if (subscription)
      world.update(
        'subscription',
        subscription.id,
        { default_payment_method: method.id },
        'customer.subscription.updated',
      );
    return collectInvoice(world, invoice.id, { offSession: false, paymentMethod: method.id });
  });
  const intent = paymentOf(world, invoice.id)?.intent;
  if (intent?.status === 'requires_action')
    return reply.redirect(challengeUrl(intent.id, `/i/${invoice.id}`), 303);
  if (paid.status !== 'paid')
    return sendPage(reply, invoicePage(world, paid, problemOf(world, invoice.id)), 402);
  return reply.redirect(`/i/${invoice.id}`, 303);
}

/** The page of an invoice, where an open one can be paid, and the stand-in for a bank's 3-D Secure page. */
export function registerInvoicePages(app: FastifyInstance, world: StripeWorld): void {
  const missing = (reply: FastifyReply) =>
    sendPage(
      reply,
      stripePage('Something went wrong', '<p>The page you were looking for could not be found.</p>'),
      404,
    );
  app.get<{ Params: { id: string } }>('/i/:id', ({ params }, reply) => {
    const invoice = world.find('invoice', params.id);
    return invoice ? sendPage(reply, invoicePage(world, invoice, null)) : missing(reply);
  });
  app.post<{ Params: { id: string } }>('/i/:id', ({ params, body }, reply) => {
    const invoice = world.find('invoice', params.id);
    if (!invoice) return missing(reply);
    if (invoice.status !== 'open') return reply.redirect(`/i/${invoice.id}`, 303);
    return payByCard(world, invoice, body, reply);
  });
  app.get<{ Params: { id: string }; Querystring: { back?: string } }>(
    '/challenge/:id',
    ({ params, url }, reply) => {
      const intent = world.find('payment_intent', params.id);
      return intent ? sendPage(reply, stripePage('3-D Secure', challengeForm(url))) : missing(reply);
    },
  );
  app.post<{ Params: { id: string }; Querystring: { back?: string } }>(
    '/challenge/:id',
    ({ params, query, body }, reply) => {
      const intent = world.find('payment_intent', params.id);
      if (!intent) return missing(reply);
      const returnUrl = intent.next_action?.redirect_to_url?.return_url;
      const isConfirmed = new URLSearchParams(String(body ?? '')).get('answer') === 'confirm';
      world.transaction(() => answerChallenge(world, params.id, isConfirmed));
      const back = query.back === returnUrl ? returnUrl : ownPath(query.back);
      return reply.redirect(back ?? '/', 303);
    },
  );
}
