import { data } from 'react-router';
import { clientAddressContext } from '#app/middleware/contexts.server.ts';
import { database } from '#app/services/database.server.ts';
import { tooManyInit } from '#app/services/forms/form-reply.server.ts';
import { waitSeconds } from '#app/services/limits/rate-limits.server.ts';
import { isId } from '#domain/kernel/id.ts';
import { exportRaffle } from '#domain/raffle/export-raffle.ts';
import type { Route } from './+types/raffle-json.ts';

/** Once a raffle is over, next to nothing of its data changes. */
const OVER_SECONDS = 60 * 60;

/** Serves a raffle's published data, for the script that checks it. */
export async function loader({ request, params: { raffleId }, context }: Route.LoaderArgs) {
  if (!isId(raffleId)) throw data(null, { status: 404 });
  const wait = await waitSeconds('proofByAddress', context.get(clientAddressContext));
  if (wait > 0) throw data(null, tooManyInit(wait));
  const raffle = await exportRaffle((await database()).read, raffleId);
  if (!raffle) throw data(null, { status: 404 });
  const isOver = raffle.raffle.state === 'over' || raffle.raffle.state === 'cancelled';
  // The response may renew a session cookie, which a shared cache must not store.
  const whose = request.headers.has('Cookie') ? 'private' : 'public';
  const keeping = isOver ? `${whose}, max-age=${OVER_SECONDS}` : 'no-cache';
  return new Response(`${JSON.stringify(raffle)}\n`, {
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Disposition': `inline; filename="raffle-${raffleId}.json"`,
      'Cache-Control': keeping,
    },
  });
}
