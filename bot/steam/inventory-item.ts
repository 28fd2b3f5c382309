import { createHash } from 'node:crypto';
import { z } from 'zod';
import { appliedIcons, appliedTraits } from '#bot/steam/applied-traits.ts';
import { gameOf, PROTECTED_CONTEXT, usualTags } from '#bot/steam/games.ts';
import type { InventoryItem } from '#bot/steam/steam-account.ts';
import { amount, countedRows, id, readableRows } from '#bot/steam/web-rows.ts';

// Inventories are read from Steam directly, because the packages process descriptions with code that throws
// at odd ones.

const tag = z.object({
  category: z.string(),
  internal_name: z.string(),
  localized_tag_name: z.string(),
  color: z.string().nullish(),
});
const description = z.object({
  classid: id,
  instanceid: id.nullish(),
  name: z.string().nullish(),
  market_hash_name: z.string().nullish(),
  icon_url: z.string().nullish(),
  type: z.string().nullish(),
  name_color: z.string().nullish(),
  tradable: z.union([z.number(), z.boolean()]).nullish(),
  tags: readableRows(tag),
  owner_descriptions: readableRows(z.object({ value: z.string() })),
  descriptions: readableRows(z.object({ value: z.string() })),
  fraudwarnings: readableRows(z.string()),
});
const asset = z.object({
  assetid: id,
  classid: id,
  instanceid: id.nullish(),
  amount: amount.nullish(),
});

const property = z.object({
  propertyid: amount,
  name: z.string().nullish(),
  float_value: amount.nullish(),
  string_value: z.string().nullish(),
});
/** The facts about single assets in newer inventories (juliarose/steam-tradeoffer-manager#7). */
const assetProperties = z.object({ assetid: id, asset_properties: readableRows(property) });

type ItemDescription = z.output<typeof description>;
type Properties = z.output<typeof property>[];
type InventoryAsset = z.output<typeof asset>;

export const inventoryPage = z.object({
  success: z.union([z.literal(1), z.literal(true)]),
  total_inventory_count: amount.nullish(),
  assets: countedRows(asset),
  descriptions: readableRows(description),
  asset_properties: readableRows(assetProperties),
  more_items: z.unknown().optional(),
  last_assetid: id.nullish(),
});

const keyOf = ({ classid, instanceid }: Pick<InventoryAsset, 'classid' | 'instanceid'>) =>
  `${classid}_${instanceid ?? '0'}`;

export function inventoryItemsOf(
  { assets, descriptions, asset_properties }: z.output<typeof inventoryPage>,
  appId: number,
  contextId: string,
): InventoryItem[] {
  const described = new Map(descriptions.map((each) => [keyOf(each), each]));
  const properties = new Map(asset_properties.map((each) => [each.assetid, each.asset_properties]));
  return assets.rows.map((each) =>
    inventoryItemOf(
      { appId, contextId },
      each,
      described.get(keyOf(each)),
      properties.get(each.assetid) ?? [],
    ),
  );
}

/**
 * Converts an asset to the form that our tables and pages use. An asset without a description has no name;
 * neither it nor one of an amount that is no number of pieces can be deposited. The name of a stack tells its amount, and
 * so does a trait, because stacks of different amounts are different kinds.
 */
function inventoryItemOf(
  { appId, contextId }: { appId: number; contextId: string },
  asset: InventoryAsset,
  description: ItemDescription | undefined,
  properties: Properties,
): InventoryItem {
  const tag = (category: string) => description?.tags.find((each) => each.category === category);
  const first = (categories: readonly string[]) => categories.map(tag).find((each) => each !== undefined);
  const game = gameOf(appId);
  const tags = game?.tags ?? usualTags;
  const [type, rarity, exterior] = [first(tags.type), first(tags.rarity), first(tags.exterior)];
  const rarityColor = rarity?.color || (description?.name_color ?? '');
  const protectedUntilMs = protectedUntilOf(description);
  const pieces = asset.amount ?? 1;
  const isCounted = Number.isSafeInteger(pieces) && pieces >= 1;
  const ofStack = isCounted && pieces > 1 ? `× ${pieces}` : '';
  const name = description?.name ?? description?.market_hash_name ?? '';
  const isOpen = contextId !== PROTECTED_CONTEXT;
  return {
    appId,
    contextId,
    assetId: asset.assetid,
    classId: asset.classid,
    instanceId: asset.instanceid ?? '0',
    marketHashName: description?.market_hash_name ?? description?.name ?? '',
    name: ofStack === '' ? name : `${name} ${ofStack}`,
    iconUrl: description?.icon_url ?? '',
    typeLine: description?.type ?? '',
    typeTag: type?.internal_name ?? '',
    rarityTag: rarity?.internal_name ?? '',
    rarityColor,
    exterior: exterior?.localized_tag_name ?? '',
    traits: traitsOf(description, properties, { appId, ofStack }),
    traitIcons: appliedIcons(description?.descriptions ?? [])
      .join('\n')
      .trimEnd(),
    wear: wearOf(properties),
    amount: isCounted ? pieces : 1,
    tradable: Boolean(description?.tradable) && isCounted && isOpen,
    ...(protectedUntilMs !== null && { protectedUntilMs }),
    facts: {
      type: type ? { tag: type.internal_name, name: type.localized_tag_name } : null,
      rarity: rarity
        ? { tag: rarity.internal_name, name: rarity.localized_tag_name, color: rarityColor }
        : null,
      exterior: exterior ? { tag: exterior.internal_name, name: exterior.localized_tag_name } : null,
    },
  };
}

/** Steam describes the end of protection in prose that changes; only its `[date]` token is reliable. */
function protectedUntilOf(description: ItemDescription | undefined): number | null {
  const seconds =
    description?.owner_descriptions.flatMap(({ value }) => {
      const match = /\[date\](\d{9,11})\[\/date\]/.exec(value);
      return match ? [Number(match[1])] : [];
    }) ?? [];
  return seconds.length > 0 ? Math.max(...seconds) * 1000 : null;
}

const MAX_TRAITS_LENGTH = 500;
/** Digits that name a phase; a finish has fewer than ten. */
const PHASE_DIGITS = 6;

/** Steam's id of the property "Wear Rating". */
const WEAR_PROPERTY = 2;

function wearOf(properties: Properties): string {
  const wear = properties.find(({ propertyid }) => propertyid === WEAR_PROPERTY)?.float_value;
  return typeof wear === 'number' ? wear.toFixed(9) : '';
}

/** Some finishes have several phases under one name, and one picture of each, whose hash names it. */
function phaseOf(description: ItemDescription | undefined, appId: number): string[] {
  const { market_hash_name: name, icon_url: icon } = description ?? {};
  if (!name || !icon || !gameOf(appId)?.namesWithPhases?.test(name)) return [];
  const hash = createHash('sha256').update(icon).digest('hex').slice(0, PHASE_DIGITS).toUpperCase();
  return [`Phase by picture: ${hash}`];
}

/**
 * Returns the traits that distinguish a piece from others of its kind, one per line: a stack's amount, its name tag, which
 * Steam lists as a warning or as a property, what is applied to it, and its phase. Two such pieces may differ in their
 * wear, so the wear is then a line too.
 */
function traitsOf(
  description: ItemDescription | undefined,
  properties: Properties,
  { appId, ofStack }: { appId: number; ofStack: string },
): string {
  const applied = appliedTraits(description?.descriptions ?? [], appId);
  const warnings = description?.fraudwarnings ?? [];
  const nameTag = properties.find(({ name }) => name === 'Name Tag')?.string_value;
  const named = nameTag && warnings.length === 0 ? [`Name Tag: ''${nameTag}''`] : warnings;
  const lines = [ofStack, ...named, ...applied, ...phaseOf(description, appId)]
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const wear = wearOf(properties);
  if (lines.length > 0 && wear !== '') lines.push(`Wear Rating: ${wear}`);
  return lines.join('\n').slice(0, MAX_TRAITS_LENGTH);
}
