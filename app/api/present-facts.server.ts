import { config } from '#app/config.server.ts';
import { kindKey } from '#app/services/items/picks.server.ts';
import type { ItemKind } from '#db/schema/asset.ts';
import type { StoppedCounts } from '#domain/claim/count-stopped.ts';

// Shared formats: times as ISO 8601, pictures as absolute addresses.

export const isoOf = (ms: number): string => new Date(ms).toISOString();
export const isoOrNull = (ms: number | null): string | null => (ms === null ? null : isoOf(ms));
export const pictureOf = (iconUrl: string): string =>
  iconUrl === '' ? '' : new URL(iconUrl, config().steam.imageUrl).href;

export const kindFacts = (item: ItemKind) => ({
  kind_id: kindKey(item),
  app_id: item.appId,
  market_hash_name: item.marketHashName,
  name: item.name,
  icon_url: pictureOf(item.iconUrl),
  type_line: item.typeLine,
  type_tag: item.typeTag,
  rarity_tag: item.rarityTag,
  exterior: item.exterior,
  traits: (item.traits ?? '').split('\n').filter(Boolean),
  wear: item.wear ?? '',
  amount: item.amount ?? 1,
});
export const stoppedOf = ({ accountStolen, ruleAbused, mistake }: StoppedCounts) => ({
  account_stolen: accountStolen,
  rule_abused: ruleAbused,
  mistake,
});
