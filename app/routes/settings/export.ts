import { data } from 'react-router';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { domainNow } from '#app/services/clock.server.ts';
import { database } from '#app/services/database.server.ts';
import { tooManyInit } from '#app/services/forms/form-reply.server.ts';
import { waitSeconds } from '#app/services/limits/rate-limits.server.ts';
import { exportAccount } from '#domain/account/export-account.ts';
import { harmlessJson } from '#platform/harmless.ts';
import type { Route } from './+types/export.ts';

/** Exports everything stored about a user as a file. */
export async function loader({ context }: Route.LoaderArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const wait = await waitSeconds('exportByAccount', userId);
  if (wait > 0) throw data(null, tooManyInit(wait));
  const nowMs = await domainNow();
  const exported = await exportAccount(await database(), { userId }, nowMs);
  const day = new Date(nowMs).toISOString().slice(0, 10);
  return new Response(`${harmlessJson(exported, 2)}\n`, {
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Disposition': `attachment; filename="keepsake-${day}.json"`,
      'Cache-Control': 'no-store',
    },
  });
}
