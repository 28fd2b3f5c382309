import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { findCustomerId } from '#domain/subscription/stripe-customer.ts';
import { ask, type Billing, type StripeCode } from './billing.ts';

/** Opens Stripe's portal for a user: payment methods, invoices, and cancelling. */
export async function openPortal(
  billing: Billing,
  userId: string,
): Promise<Outcome<{ url: string }, StripeCode | 'notSubscribed'>> {
  const customer = await findCustomerId(billing.db.read, userId);
  if (!customer) return refuse('notSubscribed');
  const { settings, publicUrl, stripe } = billing;
  const opened = await ask(billing, 'open the portal', () =>
    stripe.billingPortal.sessions.create({
      customer,
      return_url: new URL('/billing', publicUrl).href,
      ...(settings.portalConfiguration && { configuration: settings.portalConfiguration }),
    }),
  );
  return opened.ok ? done({ url: opened.value.url }) : opened;
}
