import { readHistoryFilters } from '#app/routes/history/history-filters.server.ts';
import { database } from '#app/services/database.server.ts';
import { exportList, isoOrNull } from '#app/services/forms/export-list.server.ts';
import { marketNameOf } from '#domain/item/market-name.ts';
import { listHistory } from '#domain/view/list-history.ts';
import type { Route } from './+types/export.ts';

/** Exports the reward history under the current filters. */
export async function loader(args: Route.LoaderArgs) {
  const { filters } = readHistoryFilters(args.request);
  const db = await database();
  return exportList(args, {
    name: 'reward-history',
    list: (page) => listHistory(db, { ...filters, ...page }),
    columns: {
      item: (row) => marketNameOf(row.item),
      channel: (row) => row.channel.displayName,
      rule: (row) => row.ruleName,
      status: (row) => row.status,
      promised_at: (row) => isoOrNull(row.promisedAtMs),
      claim_until: (row) => isoOrNull(row.claimUntilMs),
      delivered_at: (row) => isoOrNull(row.deliveredAtMs),
      final_at: (row) => isoOrNull(row.settlesAtMs),
    },
  });
}
