import { userSummaryContext } from '#app/middleware/contexts.server.ts';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import type { Route } from './+types/ready.ts';

/** The number of rewards that the user can claim now, for pages that stay open. */
export async function loader({ context }: Route.LoaderArgs) {
  await requireVerifiedAccount(context);
  return Response.json({ ready: context.get(userSummaryContext)?.readyCount ?? 0 });
}
