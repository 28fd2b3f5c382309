import { lineItemsOf } from './checkout-lines.ts';
import { listOfAll } from './lists.ts';
import { invalidRequest } from './refusals.ts';
import { kindOfId } from './state.ts';
import type { Kind } from './stored.ts';
import type { StripeWorld } from './world.ts';

type Fields = Record<string, unknown>;

/** Fields that Stripe sends only when asked to, https://docs.stripe.com/api/expanding_objects. */
const includable: Record<string, (world: StripeWorld, object: Fields) => unknown> = {
  'customer.subscriptions': (world, { id }) =>
    listOfAll(
      world.all('subscription').filter(({ customer, status }) => customer === id && status !== 'canceled'),
      `/v1/customers/${id}/subscriptions`,
    ),
  'checkout.session.line_items': (world, { id }) => lineItemsOf(world, String(id)),
  'invoice.payments': (world, { id }) =>
    listOfAll(
      world.all('invoice_payment').filter(({ invoice }) => invoice === id),
      '/v1/invoice_payments',
    ),
  'invoice.confirmation_secret': (world, { id }) => {
    const payment = world.all('invoice_payment').find(({ invoice }) => invoice === id);
    const intent = world.find('payment_intent', String(payment?.payment.payment_intent));
    return intent && { client_secret: intent.client_secret, type: 'payment_intent' };
  },
  'charge.refunds': (world, { id }) =>
    listOfAll(
      world.all('refund').filter(({ charge }) => charge === id),
      `/v1/charges/${id}/refunds`,
    ),
};

function referred(world: StripeWorld, kind: Kind, id: string): unknown {
  return world.find(kind, id) ?? (world.isDeleted(id) ? { id, object: kind, deleted: true } : null);
}

function expandPath(world: StripeWorld, value: unknown, path: string[], whole: string): unknown {
  const [field, ...rest] = path;
  if (field === undefined || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => expandPath(world, item, path, whole));
  const object = value as Fields;
  const include = includable[`${object.object}.${field}`];
  const held = object[field];
  if (typeof held !== 'string' && typeof held !== 'object' && !include) {
    const hint = object.object === 'list' ? ` You may want to try expanding 'data.${whole}' instead.` : '';
    throw invalidRequest(`This property cannot be expanded (${whole}).${hint}`, { param: 'expand' });
  }
  const kind = typeof held === 'string' ? kindOfId(held) : null;
  if (typeof held === 'string' && !kind) {
    throw invalidRequest(`This property cannot be expanded (${whole}).`, { param: 'expand' });
  }
  const inner = kind ? referred(world, kind, held as string) : (held ?? include?.(world, object) ?? null);
  return { ...object, [field]: expandPath(world, inner, rest, whole) };
}

/** Replaces ids by their objects along paths such as `data.latest_invoice.payments`, at most four levels deep. */
export function expandAll(world: StripeWorld, answer: unknown, paths: readonly string[] = []): unknown {
  return paths.reduce((value, path) => {
    const parts = path.split('.');
    // `data` counts too, stripe/stripe-java#2011.
    if (parts.length > 4) {
      throw invalidRequest(`You cannot expand more than 4 levels of a property. Property: ${path}`, {
        code: 'property_expansion_max_depth',
        param: 'expand',
      });
    }
    return expandPath(world, value, parts, path);
  }, answer);
}
