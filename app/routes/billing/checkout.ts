import { data, redirect } from 'react-router';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { planFrom } from '#app/routes/billing/plan-form.server.ts';
import { billing } from '#app/services/billing/billing.server.ts';
import { billingRefusals } from '#app/services/billing/billing-refusals.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { startCheckout } from '#billing/start-checkout.ts';
import type { Route } from './+types/checkout.ts';

export const loader = () => redirect('/billing');

/** Sends the buyer to Stripe's page. Pressing twice leads to the same one. */
export async function action({ request, context }: Route.ActionArgs) {
  const user = await requireVerifiedAccount(context);
  const plan = planFrom(await request.formData());
  if (!plan) throw data(null, { status: 400 });
  const open = await billing();
  const outcome = open ? await startCheckout(open, { user, plan }) : ({ ok: false, code: 'off' } as const);
  if (outcome.ok) return redirect(outcome.url, 303);
  const { key } = billingRefusals[outcome.code];
  return redirectWithToast('/billing', {
    type: 'danger',
    title: 'errors.subscription.createFailed',
    body: key,
  });
}
