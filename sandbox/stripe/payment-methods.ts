import { z } from 'zod';
import { attachCard, findCard } from './cards.ts';
import { attachDebit, debitTypes, findDebit } from './debits.ts';
import { common, paging, text } from './parameters.ts';
import { invalidRequest, noSuch } from './refusals.ts';
import type { PaymentMethod } from './stored.ts';
import type { StripeWorld } from './world.ts';

export const listMethodsShape = z.strictObject({
  ...paging,
  customer: text.optional(),
  type: z.enum(['card', ...debitTypes]).optional(),
});
export const attachShape = z.strictObject({ ...common, customer: text });

/** Stripe's ids for test cards, https://docs.stripe.com/testing?testing-method=payment-methods. */
const testMethods: Record<string, string> = {
  pm_card_visa: '4242424242424242',
  pm_card_mastercard: '5555555555554444',
  pm_card_authenticationRequired: '4000002760003184',
  pm_card_chargeCustomerFail: '4000000000000341',
  pm_card_createDispute: '4000000000000259',
  pm_usBankAccount_success: '000123456789',
  pm_usBankAccount_insufficientFunds: '000222222227',
};

export function attachMethod(world: StripeWorld, id: string, customer: string): PaymentMethod {
  world.require('customer', customer, 'customer');
  const debit = findDebit(testMethods[id] ?? '');
  if (debit) return attachDebit(world, debit, customer);
  const card = findCard(testMethods[id] ?? '');
  if (!card) throw noSuch('PaymentMethod', id, 'payment_method');
  return attachCard(world, card, customer);
}

export function detachMethod(world: StripeWorld, id: string): PaymentMethod {
  const method = world.require('payment_method', id);
  if (method.customer === null) {
    throw invalidRequest(
      'The payment method you provided is not attached to a customer so detachment is impossible.',
    );
  }
  return world.update('payment_method', id, { customer: null }, 'payment_method.detached');
}

export function methodsOf(world: StripeWorld, customer: string | undefined): PaymentMethod[] {
  return world
    .all('payment_method')
    .filter((method) => method.customer !== null && method.customer === customer);
}
