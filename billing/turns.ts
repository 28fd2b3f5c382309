import { type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { alarmOperator } from '#domain/outbox/alarm-operator.ts';
import { deferCustomer } from '#domain/subscription/stripe-customer.ts';
import type { Billing, StripeCode } from './billing.ts';

/** So many customers in a row about whom Stripe did not answer mean that it answers about nobody. */
const MAX_SILENCES = 3;

/** The customers of a step, one after the other. A turn is false once Stripe seems to answer about nobody. */
export function openTurns(billing: Billing) {
  let silences = 0;
  return {
    async take(
      customerId: string | null,
      work: () => Promise<Outcome<object, StripeCode>>,
    ): Promise<boolean> {
      const outcome = await work().catch((error: unknown) => {
        billing.log.error({ err: error, customerId }, 'a customer could not be worked on');
        return refuse('failed');
      });
      silences = !outcome.ok && outcome.code === 'unavailable' ? silences + 1 : 0;
      if (outcome.ok) return true;
      if (customerId !== null) await putOff(billing, customerId, outcome.code);
      return silences < MAX_SILENCES;
    },
  };
}

/** The operator is notified at the first failure, and not again until a success. */
async function putOff(billing: Billing, customerId: string, code: StripeCode | 'failed'): Promise<void> {
  const { db, operatorEmail, now } = billing;
  const failures = await deferCustomer(db, customerId, { nowMs: now() });
  if (failures !== 1 || code === 'unavailable' || operatorEmail === null) return;
  const values = { customer: customerId };
  const mail = { recipient: operatorEmail, locale: 'en', template: 'customerFailed', values } as const;
  await alarmOperator(db, { key: `customer: ${customerId}`, mail }, now());
}
