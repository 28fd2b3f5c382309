export type ErrorType = 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error';

export interface ErrorBody {
  type: ErrorType;
  message: string;
  code?: string;
  decline_code?: string;
  param?: string;
  doc_url?: string;
  payment_intent?: unknown;
  request_log_url?: string;
}

/**
 * A refused request; the server sends it in Stripe's shape, https://docs.stripe.com/api/errors. Stripe publishes the
 * codes, https://docs.stripe.com/error-codes, but not the sentences: those here are quoted from the live API in public
 * repositories and issues, as searched in November 2026. Where none was found, "believed" stands beside it.
 */
export class StripeRefusal extends Error {
  readonly status: number;
  readonly body: ErrorBody;

  constructor(status: number, body: ErrorBody) {
    super(body.message);
    this.status = status;
    this.body = body.code
      ? { ...body, doc_url: `https://stripe.com/docs/error-codes/${body.code.replaceAll('_', '-')}` }
      : body;
  }
}

export function invalidRequest(message: string, more: { code?: string; param?: string } = {}): StripeRefusal {
  return new StripeRefusal(400, { type: 'invalid_request_error', message, ...more });
}

/** The same words for a path and, with status 400, for a parameter, https://docs.stripe.com/error-codes#resource-missing. */
export function noSuch(noun: string, id: string, param = 'id'): StripeRefusal {
  return new StripeRefusal(param === 'id' ? 404 : 400, {
    type: 'invalid_request_error',
    code: 'resource_missing',
    message: `No such ${noun}: '${id}'`,
    param,
  });
}

interface PaymentError {
  code?: string | undefined;
  decline_code?: string | undefined;
  message?: string | undefined;
}

/** A payment that the card refused, https://docs.stripe.com/declines. */
export function cardRefusal(error: PaymentError | null | undefined): StripeRefusal {
  return new StripeRefusal(402, {
    type: 'card_error',
    code: error?.code ?? 'card_declined',
    message: error?.message ?? 'Your card was declined.',
    ...(error?.decline_code && { decline_code: error.decline_code }),
  });
}
