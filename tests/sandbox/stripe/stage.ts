import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import Stripe from 'stripe';
import { expect } from 'vitest';
import { createWorldClock } from '#sandbox/clock/world-clock.ts';
import { startStripe } from '#sandbox/stripe/server.ts';
import { applyTime } from '#sandbox/stripe/time.ts';
import { StripeWorld } from '#sandbox/stripe/world.ts';

export const daySeconds = 86_400;

export interface Received {
  body: string;
  signature: string;
  event: Stripe.Event;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** A product's endpoint for webhooks, which answers as ordered. */
async function startListener() {
  const received: Received[] = [];
  const answers: number[] = [];
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    received.push({ body, signature: String(request.headers['stripe-signature']), event: JSON.parse(body) });
    response.writeHead(answers.shift() ?? 200).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return { url: `http://127.0.0.1:${port}/webhooks/stripe`, received, answers, close };
}

/** A Stripe account at a fixed time or one that goes on, the real SDK on it, and an endpoint that takes its webhooks. */
export async function openStripe(system: number | (() => number) = Date.parse('2026-01-31T12:00:00Z')) {
  const clock = createWorldClock({
    system: typeof system === 'number' ? () => system : system,
    onAdvance: () => {
      applyTime(world);
      world.changed();
    },
  });
  const world = new StripeWorld({ now: clock.now });
  const server = await startStripe({ world, port: 0 });
  const { hostname, port } = new URL(server.url);
  const connect = (key: string) =>
    new Stripe(key, { host: hostname, port, protocol: 'http', maxNetworkRetries: 0, telemetry: false });
  const stripe = connect(world.state.secretKey);
  const listener = await startListener();
  const endpoint = await stripe.webhookEndpoints.create({ url: listener.url, enabled_events: ['*'] });

  /** Opens a page that Stripe hosts, or submits its form, as a browser without cookies does. */
  const visit = async (url: string, form?: Record<string, string>) => {
    const answer = await fetch(url, {
      redirect: 'manual',
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    });
    return { status: answer.status, text: await answer.text(), location: answer.headers.get('location') };
  };
  const monthly = async (amount = 500, name = 'Streamer basic') => {
    const product = await stripe.products.create({ name });
    return stripe.prices.create({
      product: product.id,
      currency: 'eur',
      unit_amount: amount,
      recurring: { interval: 'month' },
    });
  };
  const priceOf = (product: Stripe.Price['product'], amount: number, interval: 'month' | 'year') =>
    stripe.prices.create({
      product: String(product),
      currency: 'eur',
      unit_amount: amount,
      recurring: { interval },
    });
  const checkout = (
    customer: string,
    price: string,
    more: Partial<Stripe.Checkout.SessionCreateParams> = {},
  ) =>
    stripe.checkout.sessions.create({
      mode: 'subscription',
      customer,
      line_items: [{ price, quantity: 1 }],
      success_url: 'http://localhost:3000/billing/return?session={CHECKOUT_SESSION_ID}',
      cancel_url: 'http://localhost:3000/billing',
      ...more,
    });
  /** A customer who has paid by this card. */
  const subscribe = async (
    card = '4242424242424242',
    more: Partial<Stripe.Checkout.SessionCreateParams> = {},
    amount = 500,
  ) => {
    const customer = await stripe.customers.create({ email: 'viewer@example.com', name: 'Demo viewer' });
    const price = await monthly(amount);
    const session = await checkout(customer.id, price.id, more);
    await visit(String(session.url), { card });
    const [subscription] = (await stripe.subscriptions.list({ customer: customer.id })).data;
    if (!subscription) throw new Error('The checkout made no subscription.');
    return { customer, price, session, subscription };
  };
  const refusal = async (work: Promise<unknown>) => {
    const error = await work.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(Stripe.errors.StripeError);
    return error as Stripe.errors.StripeError;
  };

  return {
    clock,
    world,
    server,
    stripe,
    connect,
    listener,
    endpoint,
    visit,
    monthly,
    priceOf,
    checkout,
    subscribe,
    refusal,
    advanceDays: (days: number) => clock.advance(days * daySeconds * 1000),
    delivered: () => expect.poll(() => world.state.deliveries.length).toBe(0),
    types: () => listener.received.map(({ event }) => event.type),
    async close() {
      await server.close();
      await listener.close();
    },
  };
}

export type StripeStage = Awaited<ReturnType<typeof openStripe>>;
