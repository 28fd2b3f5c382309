import { done, type Outcome } from '#domain/kernel/outcome.ts';
import { wantActs } from '#domain/subscription/billing-acts.ts';
import { ask, type Billing, type StripeCode } from './billing.ts';
import { carryOut } from './carry-out.ts';

/**
 * Cancels a change of plan that was to begin later; the subscription goes on as it is. Does nothing without
 * one.
 */
export async function releaseSchedule(
  billing: Billing,
  { userId, id: subscriptionId }: { userId: string; id: string },
): Promise<Outcome<object, StripeCode>> {
  const { stripe, db, now } = billing;
  const read = await ask(billing, 'release a schedule', () => stripe.subscriptions.retrieve(subscriptionId));
  if (!read.ok) return read;
  const { schedule } = read.value;
  if (schedule === null) return done({});
  const act = { kind: 'release', subjectId: typeof schedule === 'string' ? schedule : schedule.id } as const;
  await db.transaction((tx) => wantActs(tx, userId, [act], now()));
  return carryOut(billing, act);
}
