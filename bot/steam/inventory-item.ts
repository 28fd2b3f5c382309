import { gameOf } from '#bot/steam/games.ts';
import type { InventoryItem } from '#bot/steam/steam-account.ts';

/** An asset with its description, as steamcommunity returns it. */
export interface CommunityItem {
  appid: number | string;
  contextid: string;
  assetid: string;
  classid: string;
  instanceid: string;
  name?: string;
  market_hash_name?: string;
  icon_url?: string;
  type?: string;
  name_color?: string;
  tradable: boolean;
  owner_descriptions?: { value?: string }[] | string;
  tags?: { category: string; internal_name: string; name: string; color?: string }[];
}

/** Some games have a rarity, others a quality. */
const rarityCategories = ['Rarity', 'Quality'];

/** Converts an item to the form that our tables and pages use. */
export function inventoryItemOf(item: CommunityItem): InventoryItem {
  const tag = (category: string) => item.tags?.find((each) => each.category === category);
  const [type, exterior] = [tag('Type'), tag('Exterior')];
  const rarity = rarityCategories.map(tag).find((each) => each !== undefined);
  const protectedUntilMs = protectedUntilOf(item);
  const { protectedContextId } = gameOf(Number(item.appid)) ?? { protectedContextId: null };
  return {
    appId: Number(item.appid),
    contextId: item.contextid,
    assetId: item.assetid,
    classId: item.classid,
    instanceId: item.instanceid,
    marketHashName: item.market_hash_name ?? item.name ?? '',
    name: item.name ?? item.market_hash_name ?? '',
    iconUrl: item.icon_url ?? '',
    typeLine: item.type ?? '',
    typeTag: type?.internal_name ?? '',
    rarityTag: rarity?.internal_name ?? '',
    rarityColor: rarity?.color || (item.name_color ?? ''),
    exterior: exterior?.name ?? '',
    tradable: item.tradable && item.contextid !== protectedContextId,
    ...(protectedUntilMs !== null && { protectedUntilMs }),
    facts: {
      type: type ? { tag: type.internal_name, name: type.name } : null,
      rarity: rarity
        ? { tag: rarity.internal_name, name: rarity.name, color: rarity.color || (item.name_color ?? '') }
        : null,
      exterior: exterior ? { tag: exterior.internal_name, name: exterior.name } : null,
    },
  };
}

/** Steam describes the end of protection in prose that changes; only its `[date]` token is reliable. */
function protectedUntilOf({ owner_descriptions: lines }: CommunityItem): number | null {
  if (!Array.isArray(lines)) return null;
  const seconds = lines.flatMap(({ value }) => {
    const match = /\[date\](\d{9,11})\[\/date\]/.exec(value ?? '');
    return match ? [Number(match[1])] : [];
  });
  return seconds.length > 0 ? Math.max(...seconds) * 1000 : null;
}
