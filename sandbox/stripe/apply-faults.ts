import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { RequestFault } from '#sandbox/request-faults.ts';
import { keyIn, requestTextOf, saveAnswer, savedAnswer } from './idempotency.ts';
import type { ErrorBody } from './refusals.ts';
import { randomLetters } from './state.ts';
import type { StripeWorld } from './world.ts';

/**
 * The body of Stripe's answer with a status, https://docs.stripe.com/error-low-level and
 * https://docs.stripe.com/rate-limits.
 */
function bodyOf(status: number): string {
  const bodies: Record<number, ErrorBody> = {
    401: { type: 'invalid_request_error', message: 'Invalid API Key provided: sk_test_********' },
    403: {
      type: 'invalid_request_error',
      message: 'The provided key does not have the required permissions for this endpoint on this account.',
    },
    409: {
      type: 'idempotency_error',
      code: 'idempotency_key_in_use',
      message:
        'There is currently another in-progress request using this idempotency key. Please try again later.',
    },
    429: {
      type: 'invalid_request_error',
      code: 'rate_limit',
      message:
        'Request rate limit exceeded. Learn more about rate limits at https://stripe.com/docs/rate-limits.',
    },
  };
  const error = bodies[status] ?? { type: 'api_error', message: 'An unknown error occurred' };
  return JSON.stringify({ error }, null, 2);
}

/**
 * Applies faults before the effect (the request is not handled) or after it (only the answer is lost). A 500 in place of
 * the effect is one of an endpoint that had begun: Stripe saves it with the key and repeats it for a day,
 * https://docs.stripe.com/api/idempotent_requests. One without effect that comes from before the endpoint is not saved.
 */
export function applyFaults(app: FastifyInstance, world: StripeWorld): void {
  const lostAnswers = new WeakMap<FastifyRequest, RequestFault>();
  const failing = new WeakSet<FastifyRequest>();
  app.addHook('onRequest', async (request, reply) => {
    const fault = world.faults.takeRequestFault(request.method, request.url.split('?')[0] ?? '/');
    if (!fault) return;
    if (fault.afterEffect) lostAnswers.set(request, fault);
    else if (fault.answer === 'drop') {
      reply.hijack();
      request.raw.socket.destroy();
    } else if (fault.answer === 500 && keyIn(request)) failing.add(request);
    else await reply.code(fault.answer).type('application/json').send(bodyOf(fault.answer));
  });
  app.addHook('preHandler', async (request, reply) => {
    if (!failing.has(request)) return;
    const [key, text] = [keyIn(request), requestTextOf(request)];
    // A request whose answer is saved is answered by that, and meets no fault.
    if (savedAnswer(world, key, text)) return;
    const answer = { request: text, requestId: `req_${randomLetters(14)}`, status: 500, body: bodyOf(500) };
    saveAnswer(world, key, answer);
    await reply.code(500).type('application/json').send(answer.body);
  });
  app.addHook('onSend', async (request, reply, payload) => {
    const fault = lostAnswers.get(request);
    if (!fault) return payload;
    if (fault.answer === 'drop') {
      request.raw.socket.destroy();
      return payload;
    }
    reply.code(fault.answer).type('application/json').removeHeader('location');
    return bodyOf(fault.answer);
  });
}
