import type { AssetName } from '#bot/steam/steam-account.ts';

/** Names an asset as steamcommunity.com does. */
export const communityName = ({ appId, contextId, assetId }: AssetName) => ({
  appid: appId,
  contextid: contextId,
  assetid: assetId,
});
