import { debitCurrency, debitTypes } from './debits.ts';
import { invalidRequest } from './refusals.ts';
import type { StripeWorld } from './world.ts';

/**
 * The means of payment that a checkout offers: whatever the dashboard has switched on and the currency allows, filtered by the request. In
 * this version the list of a request is a filter, `Checkout/Sessions.d.ts` of the SDK; wallets come with cards.
 */
export function offeredMethods(
  world: StripeWorld,
  allowed: readonly string[] | undefined,
  currency: string,
): string[] {
  const { debits } = world.state.settings;
  const fitting = debitTypes.filter((type) => debits && debitCurrency[type] === currency);
  const offered = ['card', ...fitting].filter((type) => !allowed || allowed.includes(type));
  // Believed.
  if (offered.length === 0)
    throw invalidRequest('No valid payment method types for this Checkout Session.', {
      param: 'allowed_payment_method_types',
    });
  return offered;
}
