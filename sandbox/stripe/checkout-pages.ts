import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { cardChoice, challengeForm, chosenMethod } from './card-form.ts';
import { type DemoCard, declineMessage, findCard } from './cards.ts';
import { completeSession } from './checkout.ts';
import { lineItemsOf } from './checkout-lines.ts';
import type { DemoDebit } from './debits.ts';
import { escapeHtml, problemNote, sendPage, stripePage } from './page-layout.ts';
import type { CheckoutSession } from './stored.ts';
import { money } from './subscriptions.ts';
import type { StripeWorld } from './world.ts';

function trialWords(world: StripeWorld, sessionId: string): string {
  const plan = world.state.checkouts[sessionId];
  if (plan?.trialDays) return `<p>Free for ${plan.trialDays} days, then charged.</p>`;
  return plan?.trialEnd
    ? `<p>Free until ${new Date(plan.trialEnd * 1000).toISOString().slice(0, 10)}, then charged.</p>`
    : '';
}

function payPage(world: StripeWorld, session: CheckoutSession, problem: string | null): string {
  const lines = lineItemsOf(world, session.id).data.map(
    ({ description, price }) =>
      `<li>${escapeHtml(description ?? '')}: <strong>${money(price?.unit_amount ?? 0, price?.currency ?? '')}</strong> per ${escapeHtml(price?.recurring?.interval ?? '')}</li>`,
  );
  const isTrial = trialWords(world, session.id) !== '';
  const back = session.cancel_url ? `<p><a href="${escapeHtml(session.cancel_url)}">Back</a></p>` : '';
  return stripePage(
    isTrial ? 'Start your trial' : 'Subscribe',
    `${problemNote(problem)}<ul class="rows">${lines.join('')}</ul>${trialWords(world, session.id)}
<p>Due today: <strong>${money(session.amount_total ?? 0, session.currency ?? '')}</strong></p>
<form method="post">${cardChoice(undefined, session.payment_method_types)}<p><button class="primary">${isTrial ? 'Start trial' : 'Subscribe'}</button></p></form>${back}`,
  );
}

function closedPage(session: CheckoutSession): string {
  const words =
    session.status === 'complete'
      ? 'You have already paid. You can close this page.'
      : 'This page has expired. Go back and start again.';
  const back = session.cancel_url ? `<p><a href="${escapeHtml(session.cancel_url)}">Back</a></p>` : '';
  return stripePage('This checkout is closed', `<p>${words}</p>${back}`);
}

function finish(
  world: StripeWorld,
  reply: FastifyReply,
  sessionId: string,
  card: DemoCard | DemoDebit | null,
): FastifyReply {
  if (!card) return sendPage(reply, stripePage('Unknown card', ''), 400);
  const { success_url: target } = world.transaction(() => completeSession(world, sessionId, card));
  return reply.redirect((target ?? '').replaceAll('{CHECKOUT_SESSION_ID}', sessionId), 303);
}

function pay(
  world: StripeWorld,
  request: FastifyRequest,
  reply: FastifyReply,
  session: CheckoutSession,
): FastifyReply {
  const form = new URLSearchParams(String(request.body ?? ''));
  const card = chosenMethod(form, session.payment_method_types);
  if (!card) return sendPage(reply, payPage(world, session, 'Your card number is invalid.'), 402);
  if (card.attach === 'declined') {
    return sendPage(reply, payPage(world, session, declineMessage(card.declineCode)), 402);
  }
  const isCharged = (session.amount_total ?? 0) > 0;
  if (isCharged && card.onSession === 'declined') {
    return sendPage(reply, payPage(world, session, declineMessage(card.declineCode)), 402);
  }
  if (card.attach !== 'authenticate') return finish(world, reply, session.id, card);
  world.transaction(() => {
    const plan = world.state.checkouts[session.id];
    if (plan) world.setCheckout(session.id, { ...plan, challengedCard: card.number });
  });
  return reply.redirect(`/c/pay/${session.id}/challenge`, 303);
}

/** Checkout's own page: pay, be declined, answer a 3-D Secure challenge, or go back. */
export function registerCheckoutPages(app: FastifyInstance, world: StripeWorld): void {
  const open = (request: FastifyRequest, reply: FastifyReply): CheckoutSession | null => {
    const { id } = request.params as { id: string };
    const session = world.find('checkout.session', id);
    if (session?.status === 'open') return session;
    const page = session
      ? closedPage(session)
      : stripePage('Something went wrong', '<p>The page you were looking for could not be found.</p>');
    sendPage(reply, page, session ? 200 : 404);
    return null;
  };
  app.get('/c/pay/:id', (request, reply) => {
    const session = open(request, reply);
    return session ? sendPage(reply, payPage(world, session, null)) : reply;
  });
  app.post('/c/pay/:id', (request, reply) => {
    const session = open(request, reply);
    return session ? pay(world, request, reply, session) : reply;
  });
  app.get('/c/pay/:id/challenge', (request, reply) => {
    const session = open(request, reply);
    return session
      ? sendPage(reply, stripePage('3-D Secure', challengeForm(`/c/pay/${session.id}/challenge`)))
      : reply;
  });
  app.post('/c/pay/:id/challenge', (request, reply) => {
    const session = open(request, reply);
    if (!session) return reply;
    const number = world.state.checkouts[session.id]?.challengedCard ?? '';
    if (new URLSearchParams(String(request.body ?? '')).get('answer') === 'confirm') {
      return finish(world, reply, session.id, findCard(number));
    }
    const problem =
      'We are unable to authenticate your payment method. Please choose a different payment method and try again.';
    return sendPage(reply, payPage(world, session, problem), 402);
  });
}
