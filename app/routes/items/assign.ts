import { data, redirect } from 'react-router';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { emptyQuantity, putPicks, readPicks } from '#app/services/items/picks.server.ts';
import { isId } from '#domain/kernel/id.ts';
import type { Route } from './+types/assign.ts';
import { backToCustody } from './back-to-custody.server.ts';

/** Leads picks to the page that adds them to the chosen rule, where nothing happens before it is confirmed. */
export async function loader({ request, context }: Route.LoaderArgs) {
  await requireVerifiedAccount(context);
  const query = new URL(request.url).searchParams;
  const picks = readPicks(query, emptyQuantity(query));
  if (!picks) throw data(null, { status: 400 });
  if (picks.length === 0) throw await backToCustody(request);
  const rule = query.get('rule') ?? '';
  if (!isId(rule)) throw data(null, { status: 400 });
  throw redirect(`/rules/${rule}/rewards/add?${putPicks(new URLSearchParams(), picks)}`);
}
