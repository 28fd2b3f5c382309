import { debitTypes } from './debits.ts';
import type { StripeWorld } from './world.ts';

const method = (isOn: boolean) => {
  const value = isOn ? 'on' : 'off';
  return { available: isOn, display_preference: { overridable: null, preference: value, value } };
};

/**
 * The means of payment that the account's owner has switched on: one default configuration,
 * https://docs.stripe.com/api/payment_method_configurations/object, with those that this sandbox knows.
 */
export function listMethodConfigurations(world: StripeWorld) {
  const { accountId, settings } = world.state;
  return [
    {
      id: accountId.replace('acct_', 'pmc_'),
      object: 'payment_method_configuration',
      active: true,
      application: null,
      is_default: true,
      livemode: false,
      name: 'Default',
      parent: null,
      card: method(true),
      link: method(true),
      ...Object.fromEntries(debitTypes.map((type) => [type, method(settings.debits)])),
    },
  ];
}
