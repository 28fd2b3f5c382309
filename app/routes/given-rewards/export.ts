import { readGivenFilters } from '#app/routes/given-rewards/given-filters.server.ts';
import { database } from '#app/services/database.server.ts';
import { exportList, isoOrNull } from '#app/services/forms/export-list.server.ts';
import { listGivenRewards } from '#domain/view/list-given-rewards.ts';
import type { Route } from './+types/export.ts';

/** Exports the given rewards under the current filters. */
export async function loader(args: Route.LoaderArgs) {
  const { filters } = readGivenFilters(args.request);
  const db = await database();
  return exportList(args, {
    name: 'who-got-what',
    list: ({ userId: ownerId, ...page }) => listGivenRewards(db, { ...filters, ownerId, ...page }),
    columns: {
      viewer: (row) => row.viewer?.displayName ?? null,
      item: (row) => row.item.marketHashName,
      rule: (row) => row.ruleName,
      status: (row) => row.status,
      promised_at: (row) => isoOrNull(row.promisedAtMs),
      claim_until: (row) => isoOrNull(row.claimUntilMs),
      claimed_at: (row) => isoOrNull(row.claimedAtMs),
      offer_sent_at: (row) => isoOrNull(row.sentAtMs),
      delivered_at: (row) => isoOrNull(row.deliveredAtMs),
      final_at: (row) => isoOrNull(row.settlesAtMs),
      reversed_at: (row) => isoOrNull(row.reversedAtMs),
      stop_reason: (row) => row.stopReason,
      stop_asked_at: (row) => isoOrNull(row.stopAskedAtMs),
      trade_offer: (row) => row.offerId,
    },
  });
}
