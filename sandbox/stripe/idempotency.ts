import type { FastifyRequest } from 'fastify';
import { StripeRefusal } from './refusals.ts';
import type { SavedAnswer } from './state.ts';
import type { StripeWorld } from './world.ts';

/** Keys are remembered for at least a day, https://docs.stripe.com/api/idempotent_requests. */
const REMEMBERED_MS = 24 * 3_600_000;

/** The key of a request; Stripe reads it for POST alone, https://docs.stripe.com/api/idempotent_requests. */
export const keyIn = ({ method, headers }: FastifyRequest): string =>
  method === 'POST' ? String(headers['idempotency-key'] ?? '') : '';

/** The parameters of a request as they were sent. */
export function parametersOf({ method, url, body }: FastifyRequest): string {
  const query = url.split('?')[1] ?? '';
  const sent = typeof body === 'string' ? body : '';
  return method === 'GET' ? query : sent || query;
}

/** The text by which a request is the same as another one. */
export const requestTextOf = (request: FastifyRequest): string => `${request.url} ${parametersOf(request)}`;

/** The saved answer of an earlier request with this key; refuses the key for any other request. */
export function savedAnswer(world: StripeWorld, key: string, request: string): SavedAnswer | null {
  if (key.length > 255) {
    throw new StripeRefusal(400, {
      type: 'idempotency_error',
      message: 'Idempotency keys must be at most 255 characters.',
    });
  }
  const { answers } = world.state;
  const saved = answers[key];
  if (!saved) return null;
  if (saved.savedMs + REMEMBERED_MS < world.now()) {
    delete answers[key];
    return null;
  }
  if (saved.request !== request) {
    throw new StripeRefusal(400, {
      type: 'idempotency_error',
      message: `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
    });
  }
  return saved;
}

/** Saves an endpoint's answer once it had begun; refused parameters are not saved. */
export function saveAnswer(world: StripeWorld, key: string, answer: Omit<SavedAnswer, 'savedMs'>): void {
  world.state.answers[key] = { ...answer, savedMs: world.now() };
  world.changed();
}
