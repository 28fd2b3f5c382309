import type { Outcome } from '#domain/kernel/outcome.ts';
import { advanceAct, type BillingAct, findDueAct, listActsDue } from '#domain/subscription/billing-acts.ts';
import { findOpenSession } from '#domain/subscription/open-checkout.ts';
import { findCustomerId } from '#domain/subscription/stripe-customer.ts';
import type { Billing, StripeCode } from './billing.ts';
import { carryOut } from './carry-out.ts';
import { closeCheckout } from './close-checkout.ts';
import { fetchSubscriptions } from './fetch-subscriptions.ts';
import { openTurns } from './turns.ts';

const BATCH = 100;

/**
 * Repeats acts that Stripe has not carried out yet, because the process died or Stripe failed. The customer
 * is fetched first, because the decision may be outdated; the fetch withdraws the act, or has it carried out.
 */
export async function resumeActs(billing: Billing, signal: AbortSignal): Promise<boolean> {
  const { db, now } = billing;
  const turns = openTurns(billing);
  for (const listed of await listActsDue(db, now(), BATCH)) {
    if (signal.aborted) return false;
    // An earlier turn may have been that of the same customer.
    const act = await findDueAct(db.read, listed);
    if (!act || act.nextAtMs > now()) continue;
    const customerId = await findCustomerId(db.read, act.userId);
    const isAnswered = await turns.take(customerId, () => resume(billing, act, customerId));
    await putOff(billing, act);
    if (!isAnswered) return false;
  }
  return true;
}

async function resume(
  billing: Billing,
  act: BillingAct,
  customerId: string | null,
): Promise<Outcome<object, StripeCode>> {
  if (customerId === null) return carryOut(billing, act);
  if (act.kind !== 'expire') return fetchSubscriptions(billing, customerId);
  const checkout = await findOpenSession(billing.db, act.subjectId);
  return checkout ? closeCheckout(billing, checkout, customerId) : carryOut(billing, act);
}

/** One whose turn came to nothing, because its customer could not be fetched, waits like one that Stripe did not answer. */
async function putOff({ db, now, operatorEmail }: Billing, tried: BillingAct): Promise<void> {
  const nowMs = now();
  await db.transaction(async (tx) => {
    const act = await findDueAct(tx, tried);
    const error = tried.lastError ?? '';
    if (act && act.nextAtMs <= nowMs)
      await advanceAct(tx, act, { event: 'silent', error, operatorEmail, nowMs });
  });
}
