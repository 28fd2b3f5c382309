import type Stripe from 'stripe';
import { done, type Outcome, refuse } from '#domain/outcome.ts';
import type { Billing } from './billing.ts';
import { gatherEvent } from './gather-events.ts';

/** How old a signature may be. System time. */
const TOLERANCE_SECONDS = 300;

/**
 * Takes a webhook: its signature must be that of our endpoint and recent. The event is only stored here; a worker fetches
 * what it is about, so that a burst costs little and an event is worth no more than a hint.
 */
export async function receiveWebhook(
  { stripe, database, settings, log }: Billing,
  { body, signature }: { body: string; signature: string },
): Promise<Outcome<{ isNew: boolean }, 'forged'>> {
  if (!settings.webhookSecret) return refuse('forged');
  let event: Stripe.Event;
  try {
    event = await stripe.webhooks.constructEventAsync(
      body,
      signature,
      settings.webhookSecret,
      TOLERANCE_SECONDS,
    );
  } catch (error) {
    log.warn(
      { reason: (error as Error).name },
      'a webhook was refused: its signature does not fit or is too old',
    );
    return refuse('forged');
  }
  const isNew = await gatherEvent(database, eventRow(event));
  return done({ isNew });
}

/** What is kept of an event: whose it is, and what it is about. */
export function eventRow({ id, type, data }: Stripe.Event) {
  const object = data.object as { object?: string; id?: string; customer?: string | { id: string } | null };
  const { customer } = object;
  const named = typeof customer === 'string' ? customer : (customer?.id ?? null);
  const customerId = object.object === 'customer' ? (object.id ?? null) : named;
  return { id, type, customerId, objectId: object.id ?? null };
}
