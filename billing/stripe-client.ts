import Stripe from 'stripe';
import type { BillingSettings } from '#platform/shared-variables.ts';

/**
 * Time limit of one request, and the number of repetitions after that, or after a fault of Stripe's. System
 * time.
 */
const TIMEOUT_MS = 10_000;
const MAX_RETRIES = 2;

/** The version whose answers the code reads: the one that the package's types describe. */
export const stripeVersion = '2026-10-28.endive';

/** The address to which Stripe sends its events. */
export const webhookUrlOf = (publicUrl: URL): string => new URL('/webhooks/stripe', publicUrl).href;

/** Opens the account. The package repeats requests with growing pauses and a random part, under the same key. */
export function openStripe({ secretKey, apiUrl }: Pick<BillingSettings, 'secretKey' | 'apiUrl'>): Stripe {
  const isHttps = apiUrl.protocol === 'https:';
  return new Stripe(secretKey, {
    apiVersion: stripeVersion,
    host: apiUrl.hostname,
    port: apiUrl.port === '' ? (isHttps ? 443 : 80) : Number(apiUrl.port),
    protocol: isHttps ? 'https' : 'http',
    timeout: TIMEOUT_MS,
    maxNetworkRetries: MAX_RETRIES,
    telemetry: false,
    appInfo: { name: 'Keepsake' },
  });
}
