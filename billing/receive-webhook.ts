import type Stripe from 'stripe';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import type { ReceivedEvent } from '#domain/subscription/event-inbox.ts';
import type { Billing } from './billing.ts';
import { gatherEvent } from './gather-events.ts';

/** Maximum age of a signature. System time. */
const TOLERANCE_SECONDS = 300;

/**
 * Takes a webhook: its signature must be that of our endpoint and recent. The event is only stored here. A
 * worker fetches its subject, so that a burst costs little and an event is no more than a hint. `unreadable`:
 * it was signed, but is no event.
 */
export async function receiveWebhook(
  { stripe, db, settings, log }: Billing,
  { body, signature }: { body: string; signature: string },
): Promise<Outcome<{ isNew: boolean }, 'forged' | 'unreadable'>> {
  const secret = settings.webhookSecret;
  if (!secret) return refuse('forged');
  const opened = await openEnvelope(stripe, { body, signature, secret });
  const event = opened.ok ? eventRow(opened.event) : null;
  if (!event) {
    const code = opened.ok ? 'unreadable' : opened.code;
    log.warn({ code, bytes: body.length }, whyRefused[code]);
    return refuse(code);
  }
  const isNew = await gatherEvent(db, event);
  return done({ isNew });
}

const whyRefused = {
  forged: 'a webhook was refused: its signature does not fit or is too old',
  unreadable: 'a webhook was refused: it is signed, but no event of Stripe',
};

/** The message, if its signature is that of our endpoint and recent; it may be anything. */
async function openEnvelope(
  stripe: Stripe,
  { body, signature, secret }: { body: string; signature: string; secret: string },
): Promise<Outcome<{ event: unknown }, 'forged' | 'unreadable'>> {
  try {
    const event = await stripe.webhooks.constructEventAsync(body, signature, secret, TOLERANCE_SECONDS);
    return done({ event });
  } catch (error) {
    const { type } = error as Partial<Stripe.errors.StripeError>;
    return refuse(type === 'StripeSignatureVerificationError' ? 'forged' : 'unreadable');
  }
}

/** Stripe's names are at most this long. PostgreSQL refuses a zero byte, and one bad row fails all that are stored with it. */
const namePattern = /^[^\p{Cc}\p{Cs}]{1,255}$/u;

const nameIn = (value: unknown): string | null =>
  typeof value === 'string' && namePattern.test(value) ? value : null;

/** Seconds of Stripe's clock, up to the year 5138. */
const momentIn = (value: unknown): number | null =>
  Number.isInteger(value) && Number(value) > 0 && Number(value) < 1e11 ? Number(value) * 1000 : null;

const fieldsOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** Picks the stored part of an event: its customer and its subject, if named. Null if it is no event. */
export function eventRow(event: unknown): ReceivedEvent | null {
  const { id, type, data, created } = fieldsOf(event);
  const [eventId, eventType] = [nameIn(id), nameIn(type)];
  if (eventId === null || eventType === null) return null;
  const object = fieldsOf(fieldsOf(data).object);
  const objectId = nameIn(object.id);
  const named = nameIn(object.customer) ?? nameIn(fieldsOf(object.customer).id);
  const customerId = object.object === 'customer' ? objectId : named;
  return { id: eventId, type: eventType, customerId, objectId, occurredAtMs: momentIn(created) };
}
