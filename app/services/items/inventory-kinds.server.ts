import type { Inventory, InventoryAsset } from '#app/services/items/inventory.server.ts';
import { kindKey, type Pick, pieceKey } from '#app/services/items/picks.server.ts';
import type { Asset, ItemKind } from '#db/schema/asset.ts';
import { classKeyOf } from '#domain/transfer/stack-room.ts';

/** The reasons why no asset of a kind can be deposited now. `stack`: no bot has room for another of its class. */
export type OffReason = 'notTradable' | 'protected' | 'inOffer' | 'stack';

/** The items of one kind in a Steam inventory, as a tile shows them. */
export interface InventoryKind extends ItemKind {
  key: string;
  amount: number;
  pieces: number;
  /** Number of them that can be deposited. */
  available: number;
  /** Set if that is none. */
  offReason: OffReason | null;
  /** For `protected`: until when. */
  protectedUntilMs: number | null;
}

export type Grouped = InventoryKind & { assets: InventoryAsset[] };

interface DepositLimits {
  /** Assets (`appId/assetId`) that are already in an open offer. */
  busy: ReadonlySet<string>;
  /** Number of bots that have room for an asset of each class of which a bot has one at most. */
  stackRoom: ReadonlyMap<string, number>;
}

const offReasonOf = (asset: InventoryAsset, busy: ReadonlySet<string>): OffReason | null => {
  if (busy.has(`${asset.appId}/${asset.assetId}`)) return 'inOffer';
  if (asset.tradable) return null;
  return asset.protectedUntilMs ? 'protected' : 'notTradable';
};

/** Groups an inventory by kind. Of each kind, no more stacks are available than bots have room for. */
export function groupInventory(
  inventories: readonly Inventory[],
  { busy, stackRoom }: DepositLimits,
): Grouped[] {
  const kinds = new Map<string, Grouped>();
  for (const asset of inventories.flatMap(({ assets }) => assets)) {
    const key = kindKey(asset);
    const room = stackRoom.get(classKeyOf(asset)) ?? Number.POSITIVE_INFINITY;
    const isOver = (kinds.get(key)?.available ?? 0) >= room;
    const off = offReasonOf(asset, busy) ?? (isOver ? 'stack' : null);
    const kind = kinds.get(key) ?? newKind(key, asset);
    kinds.set(key, kind);
    kind.pieces++;
    // Several pieces differ in wear, so no wear is shown.
    if (kind.pieces > 1) kind.wear = '';
    if (off === null) {
      kind.available++;
      kind.assets.push(asset);
    } else {
      kind.offReason ??= off;
      kind.protectedUntilMs ??= asset.protectedUntilMs ?? null;
    }
  }
  for (const kind of kinds.values()) {
    if (kind.available === 0) continue;
    kind.offReason = null;
    kind.protectedUntilMs = null;
  }
  return [...kinds.values()];
}

const newKind = (key: string, asset: InventoryAsset): Grouped => ({
  key,
  appId: asset.appId,
  marketHashName: asset.marketHashName,
  name: asset.name,
  iconUrl: asset.iconUrl,
  typeLine: asset.typeLine,
  typeTag: asset.typeTag,
  rarityTag: asset.rarityTag,
  exterior: asset.exterior,
  traits: asset.traits ?? '',
  traitIcons: asset.traitIcons ?? '',
  wear: asset.wear ?? '',
  amount: asset.amount ?? 1,
  pieces: 0,
  available: 0,
  offReason: null,
  protectedUntilMs: null,
  assets: [],
});

/** Splits a kind into the pieces that can be deposited and have a known wear, each as a kind of its own. */
export const wornPieces = (kind: Grouped): Grouped[] =>
  [...new Set(kind.assets.flatMap(({ wear }) => wear || []))].map((wear) => {
    const assets = kind.assets.filter((asset) => asset.wear === wear);
    return {
      ...kind,
      key: pieceKey(kind.key, wear),
      wear,
      pieces: assets.length,
      available: assets.length,
      assets,
    };
  });

/** Kinds and single pieces by their keys. */
export const byPickKey = (kinds: readonly Grouped[]): ReadonlyMap<string, Grouped> =>
  new Map([...kinds, ...kinds.flatMap(wornPieces)].map((kind) => [kind.key, kind]));

/**
 * The exact assets for the picks: of single pieces first, then of any pieces of a kind, those with the lowest ids first;
 * null if a kind is missing or has too few.
 */
export function pickAssets(kinds: readonly Grouped[], picks: readonly Pick[]): Asset[] | null {
  const byKey = byPickKey(kinds);
  const isKind = new Set(kinds.map(({ key }) => key));
  const picked = new Set<InventoryAsset>();
  for (const { key, quantity } of picks.toSorted((a, b) => +isKind.has(a.key) - +isKind.has(b.key))) {
    const left = (byKey.get(key)?.assets ?? []).filter((asset) => !picked.has(asset));
    if (left.length < quantity) return null;
    left.sort((a, b) => (BigInt(a.assetId) < BigInt(b.assetId) ? -1 : 1));
    for (const asset of left.slice(0, quantity)) picked.add(asset);
  }
  return [...picked];
}
