import { createHmac } from 'node:crypto';
import type { StripeLog } from './server.ts';
import type { Delivery } from './state.ts';
import type { StripeWorld } from './world.ts';

/** Stripe waits longer; here a page may wait for its webhook. */
const ANSWER_WITHIN_MS = 10_000;
/** Waits between attempts in minutes: for three days, ever longer, https://docs.stripe.com/webhooks#retries. */
const retryMinutes = [1, 5, 30, 120, 300, 600, 720, 720, 720, 720, 720];
/** A timer may wait at most so long, for the world's clock can be moved. */
const MAX_WAIT_MS = 60_000;

/** `t=…,v1=…` over time and body, https://docs.stripe.com/webhooks#verify-manually; system time, as all of sign-in. */
export function signatureOf(body: string, secret: string, systemMs = Date.now()): string {
  const time = Math.floor(systemMs / 1000);
  return `t=${time},v1=${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}`;
}

async function post(world: StripeWorld, delivery: Delivery): Promise<number | null> {
  const endpoint = world.find('webhook_endpoint', delivery.endpointId);
  const event = world.find('event', delivery.eventId);
  if (!endpoint || !event || endpoint.status !== 'enabled') return null;
  const body = JSON.stringify(event, null, 2);
  const answer = await fetch(endpoint.url, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
      'stripe-signature': signatureOf(body, world.state.secrets[endpoint.id] ?? ''),
    },
    redirect: 'manual',
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  });
  await answer.body?.cancel();
  return answer.status;
}

/** Sends what is due, whenever the world changes or its time has come, and again what was not answered with 2xx. */
export function startDeliveries(world: StripeWorld, log: StripeLog): { close(): void } {
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const underWay = new Set<Delivery>();

  const send = async (delivery: Delivery) => {
    underWay.add(delivery);
    const status = await post(world, delivery).catch((error: unknown) => {
      log.info({ err: error }, 'a webhook was not delivered');
      return 0;
    });
    underWay.delete(delivery);
    if (isClosed) return;
    const isDone = status === null || (status >= 200 && status < 300);
    world.settleDelivery(delivery, isDone ? null : retryMinutes[delivery.attempts]);
    pump();
  };
  const pump = () => {
    clearTimeout(timer);
    if (isClosed) return;
    const waiting = world.state.deliveries.filter((delivery) => !underWay.has(delivery));
    const now = world.now();
    for (const delivery of waiting) if (delivery.dueMs <= now) void send(delivery);
    const next = Math.min(...waiting.map(({ dueMs }) => dueMs).filter((dueMs) => dueMs > now));
    if (Number.isFinite(next)) timer = setTimeout(pump, Math.min(next - now, MAX_WAIT_MS));
  };
  const unsubscribe = world.onChange(pump);
  pump();
  return {
    close() {
      isClosed = true;
      unsubscribe();
      clearTimeout(timer);
    },
  };
}
