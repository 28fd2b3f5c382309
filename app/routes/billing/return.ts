import { redirect } from 'react-router';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { billing } from '#app/services/billing/billing.server.ts';
import type { ToastMessage } from '#app/services/toast.server.ts';
import { redirectWithToast } from '#app/services/toast.server.ts';
import { type CheckoutEnd, finishCheckout } from '#billing/finish-checkout.ts';
import type { Route } from './+types/return.ts';

const messages: Record<CheckoutEnd, ToastMessage> = {
  subscribed: { type: 'success', title: 'billing.returned.subscribed' },
  processing: {
    type: 'info',
    title: 'billing.returned.processing',
    body: 'billing.returned.processingText',
  },
  open: { type: 'info', title: 'billing.returned.open', body: 'billing.returned.openText' },
  expired: { type: 'info', title: 'billing.returned.expired' },
};

/**
 * The page that Stripe returns the buyer to. It fetches the purchase without waiting for a webhook. Opening
 * it again is fine.
 */
export async function loader({ request, context }: Route.LoaderArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const sessionId = new URL(request.url).searchParams.get('session_id');
  const open = await billing();
  if (!open || !sessionId) return redirect('/billing');
  const outcome = await finishCheckout(open, { userId, sessionId });
  if (outcome.ok) return redirectWithToast('/billing', messages[outcome.end]);
  if (outcome.code === 'notFound') return redirect('/billing');
  return redirectWithToast('/billing', {
    type: 'warning',
    title: 'billing.returned.waiting',
    body: 'billing.returned.waitingText',
  });
}
