import { data, redirect } from 'react-router';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { productFrom } from '#app/routes/billing/plan-form.server.ts';
import { billing } from '#app/services/billing/billing.server.ts';
import { billingRefusals } from '#app/services/billing/billing-refusals.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { resumeSubscription } from '#billing/cancel-subscription.ts';
import { newId } from '#domain/kernel/id.ts';
import type { Route } from './+types/resume.ts';

export const loader = () => redirect('/billing');

/** Takes back a cancellation, or a smaller plan that has not begun. Keeping twice is the same. */
export async function action({ request, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const product = productFrom(await request.formData());
  if (!product) throw data(null, { status: 400 });
  const open = await billing();
  const requestId = newId(await domainNow());
  const outcome = open
    ? await resumeSubscription(open, { userId, product, requestId })
    : ({ ok: false, code: 'off' } as const);
  return outcome.ok
    ? redirectWithToast('/billing', { type: 'success', title: 'billing.cancelling.kept' })
    : redirectWithToast('/billing', { type: 'danger', title: billingRefusals[outcome.code].key });
}
