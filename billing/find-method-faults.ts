import type Stripe from 'stripe';
import type { Account, StripeFault } from './find-stripe-faults.ts';
import { debitTypeOf } from './payment-types.ts';

const where = 'Settings → Payment methods in the Stripe dashboard';

type Debit = NonNullable<ReturnType<typeof debitTypeOf>>;

const isOn = (methods: Stripe.PaymentMethodConfiguration | null, debit: Debit): boolean =>
  methods?.[debit]?.display_preference.value === 'on';

/**
 * Compares the means of payment that the dashboard has switched on with STRIPE_DEBITS. Checkout goes by the account's default
 * configuration, and so does the portal unless it names another. What a key may not read is named as well.
 */
export async function findMethodFaults(
  { stripe, settings }: Pick<Account, 'stripe' | 'settings'>,
  portal: Stripe.BillingPortal.Configuration | null,
): Promise<StripeFault[]> {
  const listed = await readMethods(stripe);
  if (listed === null) {
    const what = `this key may not read which means of payment are switched on: compare ${where} with STRIPE_DEBITS`;
    return [{ name: 'stripeMethodsUnreadable', what }];
  }
  const checkout = listed.find((each) => each.is_default && each.active && each.application === null) ?? null;
  const named = portal?.features.payment_method_update.payment_method_configuration ?? null;
  const atPortal = named === null ? checkout : (listed.find(({ id }) => id === named) ?? null);
  // Stripe offers no debit for other currencies.
  const debit = debitTypeOf({ ...settings, debits: true });
  const what = debit && debitFault(debit, settings.debits, { checkout, atPortal });
  return what ? [{ name: 'stripeMethodsDiffer', what }] : [];
}

interface Configurations {
  checkout: Stripe.PaymentMethodConfiguration | null;
  atPortal: Stripe.PaymentMethodConfiguration | null;
}

function debitFault(debit: Debit, isWanted: boolean, { checkout, atPortal }: Configurations): string | null {
  if (!isWanted)
    return isOn(atPortal, debit)
      ? `STRIPE_DEBITS is off, but ${debit} is on under ${where}, and the portal offers it`
      : null;
  if (checkout && !isOn(checkout, debit))
    return `STRIPE_DEBITS is on, but ${debit} is off under ${where}, so Checkout does not offer it`;
  return checkout && !checkout[debit]?.available
    ? `${debit} is on under ${where}, but the account may not use it yet, so Checkout does not offer it`
    : null;
}

/** Reads all configurations of the account; null if the key has no right to read them. */
async function readMethods(stripe: Stripe): Promise<Stripe.PaymentMethodConfiguration[] | null> {
  try {
    return await stripe.paymentMethodConfigurations.list({ limit: 100 }).autoPagingToArray({ limit: 1000 });
  } catch (error) {
    if ((error as { type?: unknown }).type === 'StripePermissionError') return null;
    throw error;
  }
}
