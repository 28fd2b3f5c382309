import { data } from 'react-router';
import { requireVerifiedAccount } from '#app/middleware/guards.server.ts';
import { database } from '#app/services/database.server.ts';
import { tooManyInit } from '#app/services/form-reply.server.ts';
import { readHistoryFilters } from '#app/services/history-filters.server.ts';
import { waitSeconds } from '#app/services/rate-limits.server.ts';
import { exportFormats, streamRows } from '#app/services/stream-rows.server.ts';
import { listHistory } from '#domain/reward/list-history.ts';
import type { Route } from './+types/export.ts';

const PAGE = 500;
const columns = [
  'item',
  'channel',
  'rule',
  'status',
  'promised_at',
  'claim_until',
  'delivered_at',
  'final_at',
];
const isoOrNull = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

/** Hands out the reward history as the filters show it, as a file. */
export async function loader({ request, context }: Route.LoaderArgs) {
  const { id: userId } = await requireVerifiedAccount(context);
  const wanted = new URL(request.url).searchParams.get('format');
  const format = exportFormats.find((each) => each === wanted);
  if (!format) throw data(null, { status: 404 });
  const wait = await waitSeconds('exportByAccount', userId);
  if (wait > 0) throw data(null, tooManyInit(wait));
  const { filters } = readHistoryFilters(request);
  const db = await database();
  return streamRows('reward-history', format, columns, async (after) => {
    const { rows, next } = await listHistory(db, { ...filters, userId, after, size: PAGE });
    return {
      next,
      rows: rows.map((row) => ({
        item: row.item.marketHashName,
        channel: row.channel.displayName,
        rule: row.ruleName,
        status: row.status,
        promised_at: isoOrNull(row.promisedAtMs),
        claim_until: isoOrNull(row.claimUntilMs),
        delivered_at: isoOrNull(row.deliveredAtMs),
        final_at: isoOrNull(row.settlesAtMs),
      })),
    };
  });
}
