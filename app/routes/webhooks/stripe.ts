import { billing } from '#app/services/billing/billing.server.ts';
import { receiveWebhook } from '#billing/receive-webhook.ts';
import type { Route } from './+types/stripe.ts';

const plain = (status: number) => new Response(null, { status });

/**
 * Takes Stripe's events. The body is read as it was sent, because the signature covers its bytes. Known and unused events
 * are answered alike: Stripe switches an endpoint off that refuses.
 */
export async function action({ request }: Route.ActionArgs) {
  const open = await billing();
  if (!open) return plain(404);
  const signature = request.headers.get('stripe-signature') ?? '';
  const outcome = await receiveWebhook(open, { body: await request.text(), signature });
  if (!outcome.ok) return plain(400);
  return plain(200);
}

export const loader = () => plain(405);
