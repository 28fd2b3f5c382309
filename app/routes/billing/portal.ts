import { redirect } from 'react-router';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { billing } from '#app/services/billing/billing.server.ts';
import { billingRefusals } from '#app/services/billing/billing-refusals.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { openPortal } from '#billing/open-portal.ts';
import type { Route } from './+types/portal.ts';

export const loader = () => redirect('/billing');

/** Sends the user to Stripe's portal: card, invoices, address. */
export async function action({ context }: Route.ActionArgs) {
  const { id } = await requireVerifiedAccount(context);
  const open = await billing();
  const outcome = open ? await openPortal(open, id) : ({ ok: false, code: 'off' } as const);
  if (outcome.ok) return redirect(outcome.url, 303);
  return redirectWithToast('/billing', { type: 'danger', title: billingRefusals[outcome.code].key });
}
