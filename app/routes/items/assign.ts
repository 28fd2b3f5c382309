import { redirect } from 'react-router';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { emptyQuantity, putPicks, readPicks } from '#app/services/items/picks.server.ts';
import { isId } from '#domain/kernel/id.ts';
import type { Route } from './+types/assign.ts';

/** Leads picks to the page that adds them to the chosen rule, where nothing happens before it is confirmed. */
export async function loader({ request, context }: Route.LoaderArgs) {
  await requireVerifiedAccount(context);
  const query = new URL(request.url).searchParams;
  const picks = readPicks(query, emptyQuantity(query)) ?? [];
  const rule = query.get('rule') ?? '';
  if (picks.length === 0 || !isId(rule)) throw redirect('/items/custody');
  throw redirect(`/rules/${rule}/rewards/add?${putPicks(new URLSearchParams(), picks)}`);
}
