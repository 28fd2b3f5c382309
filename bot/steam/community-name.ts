import type { AssetName } from '#bot/steam/steam-account.ts';

/** An asset as steamcommunity.com names it. */
export const communityName = ({ appId, contextId, assetId }: AssetName) => ({
  appid: appId,
  contextid: contextId,
  assetid: assetId,
});
