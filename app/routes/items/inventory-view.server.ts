import { rarities } from '#app/components/items/item-art.tsx';
import { pictureOf } from '#app/components/items/item-facts.ts';
import {
  byPickKey,
  type Grouped,
  type InventoryKind,
  wornPieces,
} from '#app/services/items/inventory-kinds.server.ts';
import type { Pick } from '#app/services/items/picks.server.ts';

const PAGE_KINDS = 48;

export const inventoryOrders = ['amount', 'rarity'] as const;

export interface InventoryFilters {
  q: string;
  game: string;
  type: string;
  rarity: string;
  /** An unknown order sorts by name. */
  order: string;
  /** '1' shows pieces with a known wear one by one. */
  each: string;
}

export interface InventoryView {
  kinds: InventoryKind[];
  /** The picked kinds, on any page, with no more assets than there are. */
  picked: (InventoryKind & { quantity: number })[];
  types: string[];
  rarities: string[];
  matching: number;
  /** The key after which the next page begins. */
  next: string | null;
  /** The key after which the previous page begins: empty for the first page, null on it. */
  previous: string | null;
  totalPieces: number;
}

const word = (query: URLSearchParams, name: string) => (query.get(name) ?? '').trim().slice(0, 100);

export const readInventoryFilters = (query: URLSearchParams): InventoryFilters => ({
  q: word(query, 'q'),
  game: word(query, 'game'),
  type: word(query, 'type'),
  rarity: word(query, 'rarity'),
  order: word(query, 'order'),
  each: word(query, 'each'),
});

/** Returns a kind's own pieces in place of it, if there are several and the wear of all is known. */
const split = (kind: Grouped): Grouped[] => {
  const pieces = wornPieces(kind);
  const separate = pieces.reduce((sum, { available }) => sum + available, 0);
  return pieces.length > 1 && separate === kind.available ? pieces : [kind];
};

/**
 * One page of an inventory's kinds under filters: those that can be deposited first, then in the requested
 * order, then by name.
 */
export function viewInventory(
  kinds: readonly Grouped[],
  filters: InventoryFilters,
  { picks, after }: { picks: readonly Pick[]; after: string | null },
): InventoryView {
  const wanted = filters.q.toLowerCase();
  const matching = (filters.each === '1' ? kinds.flatMap(split) : kinds)
    .filter((kind) => filters.game === '' || String(kind.appId) === filters.game)
    .filter((kind) => filters.type === '' || kind.typeTag === filters.type)
    .filter((kind) => filters.rarity === '' || kind.rarityTag === filters.rarity)
    .filter((kind) => wanted === '' || kind.marketHashName.toLowerCase().includes(wanted))
    .sort(
      (one, other) => usableFirst(one, other) || orderOf(filters.order, one, other) || byName(one, other),
    );
  const start = after === null ? 0 : matching.findIndex((kind) => kind.key === after) + 1;
  const page = matching.slice(start, start + PAGE_KINDS);
  const more = start + PAGE_KINDS < matching.length;
  return {
    kinds: page.map(described),
    picked: pickedOf(kinds, picks),
    types: tagsOf(kinds, 'typeTag'),
    rarities: tagsOf(kinds, 'rarityTag'),
    matching: matching.length,
    next: more ? (page.at(-1)?.key ?? null) : null,
    previous: start === 0 ? null : (matching[start - PAGE_KINDS - 1]?.key ?? ''),
    totalPieces: kinds.reduce((sum, kind) => sum + kind.pieces, 0),
  };
}

const usableFirst = (a: InventoryKind, b: InventoryKind): number =>
  Number(b.available > 0) - Number(a.available > 0);

const rankOf = (kind: InventoryKind): number => rarities.indexOf(pictureOf(kind).rarity);

function orderOf(order: string, a: InventoryKind, b: InventoryKind): number {
  if (order === 'amount') return b.pieces - a.pieces;
  return order === 'rarity' ? rankOf(b) - rankOf(a) : 0;
}

function byName(a: InventoryKind, b: InventoryKind): number {
  return (
    a.name.localeCompare(b.name, 'en') ||
    (a.traits ?? '').localeCompare(b.traits ?? '') ||
    (a.wear ?? '').localeCompare(b.wear ?? '') ||
    a.key.localeCompare(b.key)
  );
}

function pickedOf(kinds: readonly Grouped[], picks: readonly Pick[]): InventoryView['picked'] {
  const byKey = byPickKey(kinds);
  return picks.flatMap(({ key, quantity }) => {
    const kind = byKey.get(key);
    if (!kind || kind.available === 0) return [];
    return [{ ...described(kind), quantity: Math.min(quantity, kind.available) }];
  });
}

const tagsOf = (kinds: readonly InventoryKind[], tag: 'typeTag' | 'rarityTag') =>
  [...new Set(kinds.map((kind) => kind[tag]))].filter((each) => each !== '').sort();

/** Removes the assets, which only the server needs. */
const described = (kind: InventoryKind): InventoryKind => ({
  key: kind.key,
  appId: kind.appId,
  marketHashName: kind.marketHashName,
  name: kind.name,
  iconUrl: kind.iconUrl,
  typeLine: kind.typeLine,
  typeTag: kind.typeTag,
  rarityTag: kind.rarityTag,
  exterior: kind.exterior,
  traits: kind.traits,
  traitIcons: kind.traitIcons,
  wear: kind.wear,
  amount: kind.amount,
  pieces: kind.pieces,
  available: kind.available,
  offReason: kind.offReason,
  protectedUntilMs: kind.protectedUntilMs,
});
