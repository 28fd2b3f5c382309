import type { OfferedAsset } from '#bot/steam/steam-account.ts';

/** Names an asset as steamcommunity.com does. */
export const communityName = ({ appId, contextId, assetId, amount }: Required<OfferedAsset>) => ({
  appid: appId,
  contextid: contextId,
  assetid: assetId,
  amount,
});
