import type { Database } from '#db/database.ts';
import { hasLiveCustomRewards } from '#domain/redemption/has-live-custom-rewards.ts';
import { leaveByBot } from './bot-client.server.ts';

/**
 * Switches a channel's custom rewards off before its owner takes Twitch off: afterwards nobody can, and viewers would
 * spend points for nothing. False: Twitch or the bot did not answer, so that the owner has to look there by hand.
 * Nobody is kept from leaving by that.
 */
export async function leaveChannel(db: Database, channelId: string): Promise<boolean> {
  if (!(await hasLiveCustomRewards(db.read, { channelId }))) return true;
  return (await leaveByBot(channelId)).ok;
}
