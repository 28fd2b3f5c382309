import type { RefusalText } from '#app/services/forms/refusals.server.ts';
import type { StripeCode } from '#billing/billing.ts';
import type { ChangeRefusal } from '#billing/change-plan.ts';
import type { CheckoutRefusal } from '#billing/start-checkout.ts';

export type BillingRefusal = StripeCode | ChangeRefusal | CheckoutRefusal | 'off';

/** Every refusal of the verbs about money. */
export const billingRefusals: Record<BillingRefusal, RefusalText> = {
  unavailable: { status: 503, key: 'billing.refused.unavailable' },
  declined: { status: 402, key: 'billing.refused.declined' },
  refused: { status: 502, key: 'billing.refused.refused' },
  alreadySubscribed: { status: 409, key: 'billing.refused.alreadySubscribed' },
  otherCurrency: { status: 409, key: 'billing.refused.otherCurrency' },
  unreadable: { status: 409, key: 'billing.refused.unreadable' },
  notSubscribed: { status: 409, key: 'billing.refused.notSubscribed' },
  samePlan: { status: 409, key: 'billing.refused.samePlan' },
  notNow: { status: 409, key: 'billing.refused.notNow' },
  amountChanged: { status: 409, key: 'billing.refused.amountChanged' },
  off: { status: 404, key: 'billing.refused.off' },
};
