import type { Asset } from '#db/schema/asset.ts';

/** Picks the columns that store an asset, without anything else that it may carry. */
export const assetFactsOf = (asset: Asset): Required<Asset> => ({
  appId: asset.appId,
  contextId: asset.contextId,
  assetId: asset.assetId,
  classId: asset.classId,
  instanceId: asset.instanceId,
  marketHashName: asset.marketHashName,
  name: asset.name,
  iconUrl: asset.iconUrl,
  typeLine: asset.typeLine,
  typeTag: asset.typeTag,
  rarityTag: asset.rarityTag,
  rarityColor: asset.rarityColor,
  exterior: asset.exterior,
  traits: asset.traits ?? '',
  traitIcons: asset.traitIcons ?? '',
  wear: asset.wear ?? '',
  amount: asset.amount ?? 1,
});
