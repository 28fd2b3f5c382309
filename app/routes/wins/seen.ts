import { data } from 'react-router';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { isId } from '#domain/kernel/id.ts';
import { markWinSeen } from '#domain/reward/mark-win-seen.ts';
import type { Route } from './+types/seen.ts';

/** Says whether the card of a delivered reward is shown for the first time, and remembers it. */
export async function action({ params: { id: rewardId }, context }: Route.ActionArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  if (!isId(rewardId)) throw data(null, { status: 404 });
  const marked = await markWinSeen(await database(), { rewardId, userId }, await domainNow());
  if (!marked.ok) throw data(null, { status: 404 });
  return Response.json({ first: marked.first });
}
