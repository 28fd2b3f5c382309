import { done, type Outcome } from '#domain/outcome.ts';
import { ask, type Billing, type StripeCode } from './billing.ts';

/** Takes back a change of plan that was to begin later; the subscription goes on as it is. Without one does nothing. */
export async function releaseSchedule(
  billing: Billing,
  subscriptionId: string,
): Promise<Outcome<object, StripeCode>> {
  const { stripe } = billing;
  return ask(billing, 'release a schedule', async () => {
    const { schedule } = await stripe.subscriptions.retrieve(subscriptionId);
    if (schedule === null) return done({});
    const id = typeof schedule === 'string' ? schedule : schedule.id;
    await stripe.subscriptionSchedules.release(id, {}, { idempotencyKey: `release-${id}` });
    return done({});
  });
}
