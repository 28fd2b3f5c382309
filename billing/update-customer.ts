import type Stripe from 'stripe';
import { getAccount } from '#domain/account/get-account.ts';
import { done, type Outcome } from '#domain/kernel/outcome.ts';
import { ask, type Billing, type StripeCode } from './billing.ts';

/**
 * Updates a user's name, address and language at Stripe, for invoices and receipts. Sends a request only if
 * there is a change. Returns the currency that Stripe keeps the customer to, if any.
 */
export async function updateCustomer(
  billing: Billing,
  { userId, customerId }: { userId: string; customerId: string },
): Promise<Outcome<{ currency: string | null }, StripeCode>> {
  const { stripe, db } = billing;
  const user = await getAccount(db, { userId });
  const read = await ask(billing, 'update a customer', async () => {
    const customer = await stripe.customers.retrieve(customerId);
    if (!user || customer.deleted) return null;
    const { name, email, locale } = user;
    const isCurrent =
      customer.name === name && customer.email === email && customer.preferred_locales?.[0] === locale;
    return isCurrent
      ? customer
      : stripe.customers.update(customerId, { name, email, preferred_locales: [locale] });
  });
  if (!read.ok) return read;
  return done({ currency: currencyOf(read.value) });
}

const currencyOf = (customer: Stripe.Customer | null): string | null => customer?.currency ?? null;
