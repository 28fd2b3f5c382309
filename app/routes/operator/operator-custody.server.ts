import type { Reader } from '#db/database.ts';
import { type CustodyConcerns, type CustodyCounts, listConcerns } from '#domain/custody/list-concerns.ts';
import { isolated } from '#platform/isolated.ts';

/** Number of names that a row shows; `keepsake custody` lists all. */
const MAX_NAMES = 3;

/** A bot's open question of custody for the operator. Each concern has a text. */
export interface CustodyRow {
  botId: string;
  concern: keyof CustodyCounts;
  count: number;
  /** The first items that it is about; those that differ from the ledger by their ids. */
  names: string[];
}

function concernsOf({ drifts, unknownAssets, missingItems, transfers }: CustodyConcerns) {
  const namesIn = (isDoubtful: boolean) =>
    transfers
      .filter(({ concern }) => (concern === 'sendingUnknown') === isDoubtful)
      .map(({ items }) => items.map(({ name, assetId }) => `${isolated(name)} (${assetId})`).join(', '));
  return {
    drifts: drifts.map(({ itemId }) => itemId),
    missingItems: missingItems.map(({ marketHashName }) => marketHashName),
    doubtfulTransfers: namesIn(true),
    stuckTransfers: namesIn(false),
    unknownAssets: unknownAssets.map(({ marketHashName }) => marketHashName),
  } satisfies Record<keyof CustodyCounts, string[]>;
}

/** Reads custody's open questions for the operator, by bot; at most a hundred of each concern are counted. */
export async function readCustody(q: Reader, nowMs: number): Promise<CustodyRow[]> {
  return [...(await listConcerns(q, nowMs))].flatMap(([botId, listed]) =>
    (Object.entries(concernsOf(listed)) as [keyof CustodyCounts, string[]][]).flatMap(([concern, names]) =>
      names.length > 0 ? [{ botId, concern, count: names.length, names: names.slice(0, MAX_NAMES) }] : [],
    ),
  );
}
