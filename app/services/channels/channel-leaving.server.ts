import { leaveByBot } from '#app/services/bot-client.server.ts';
import type { Database } from '#db/database.ts';
import { hasLiveCustomRewards } from '#domain/redemption/has-live-custom-rewards.ts';

/**
 * Turns a channel's custom rewards off before its owner disconnects Twitch: afterwards nobody can, and viewers would
 * spend points for nothing. Returns false if Twitch or the bot did not answer, so that the owner has to check there.
 * It never prevents disconnecting.
 */
export async function leaveChannel(db: Database, channelId: string): Promise<boolean> {
  if (!(await hasLiveCustomRewards(db.read, { channelId }))) return true;
  return (await leaveByBot(channelId)).ok;
}
