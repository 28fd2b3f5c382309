import { createHmac } from 'node:crypto';
import type { StripeLog } from './server.ts';
import type { Delivery } from './state.ts';
import type { StripeWorld } from './world.ts';

/** Stripe waits longer; here a page may wait for its webhook. */
const ANSWER_WITHIN_MS = 10_000;
/** Waits between attempts in minutes: for three days, ever longer, https://docs.stripe.com/webhooks#retries. */
const retryMinutes = [1, 5, 30, 120, 300, 600, 720, 720, 720, 720, 720];
/** The longest that a timer waits, because the world's clock can be moved. */
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

/** So many webhooks are on their way at once. */
const MAX_UNDER_WAY = 20;

/**
 * Sends due webhooks, whenever the world changes or their time has come, and repeats those that were not
 * answered with 2xx.
 */
export function startDeliveries(world: StripeWorld, log: StripeLog): { close(): void } {
  const deliveries = new Deliveries(world, log);
  const unsubscribe = world.onChange(() => deliveries.pump());
  deliveries.pump();
  return {
    close() {
      unsubscribe();
      deliveries.close();
    },
  };
}

class Deliveries {
  readonly #world: StripeWorld;
  readonly #log: StripeLog;
  readonly #underWay = new Set<Delivery>();
  /** Webhooks that are sent after the one that follows them. */
  readonly #late = new Set<Delivery>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(world: StripeWorld, log: StripeLog) {
    this.#world = world;
    this.#log = log;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  pump(): void {
    const { faults, state } = this.#world;
    clearTimeout(this.#timer);
    if (this.#isClosed || faults.isHolding) return;
    const waiting = state.deliveries.filter((one) => !this.#underWay.has(one) && !this.#late.has(one));
    const now = this.#world.now();
    const due = waiting.filter(({ dueMs }) => dueMs <= now);
    if (faults.isReversed) due.reverse();
    if (due.length === 0 && this.#underWay.size === 0) faults.endReversal();
    const room = (faults.isReversed ? 1 : MAX_UNDER_WAY) - this.#underWay.size;
    for (const delivery of due.slice(0, Math.max(0, room))) this.#take(delivery);
    const next = Math.min(...waiting.map(({ dueMs }) => dueMs).filter((dueMs) => dueMs > now));
    if (Number.isFinite(next)) this.#timer = setTimeout(() => this.pump(), Math.min(next - now, MAX_WAIT_MS));
  }

  #take(delivery: Delivery): void {
    const { faults } = this.#world;
    const isFirst = delivery.attempts === 0;
    if (isFirst && faults.takeWebhookFault('lost')) this.#world.settleDelivery(delivery, undefined);
    else if (isFirst && faults.takeWebhookFault('late')) this.#late.add(delivery);
    else void this.#send(delivery, isFirst && faults.takeWebhookFault('duplicate') ? 2 : 1);
  }

  async #send(delivery: Delivery, times: number): Promise<void> {
    this.#underWay.add(delivery);
    let status: number | null = null;
    for (let time = 0; time < times; time++) {
      status = await post(this.#world, delivery).catch((error: unknown) => {
        this.#log.info({ err: error }, 'a webhook was not delivered');
        return 0;
      });
    }
    this.#underWay.delete(delivery);
    if (this.#isClosed) return;
    const isDone = status === null || (status >= 200 && status < 300);
    this.#world.settleDelivery(delivery, isDone ? null : retryMinutes[delivery.attempts]);
    const late = [...this.#late];
    this.#late.clear();
    for (const one of late) void this.#send(one, 1);
    this.pump();
  }
}
