import { and, eq } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { channelGuests } from '#db/schema/channel.ts';
import { missingStreamerScopes } from '#domain/account/twitch/twitch-scopes.ts';
import { findChannelOf } from './find-channel.ts';

/** Why somebody can run no rules on a channel now. */
export type ChannelBlocker =
  /** The own Twitch account is not linked. */
  | 'twitchNotLinked'
  /** Another's channel whose broadcaster has not admitted this person, or does so no more. */
  | 'notAdmitted'
  /** Nobody here holds the channel's Twitch account. */
  | 'broadcasterGone'
  /** The broadcaster's grant is dead. */
  | 'broadcasterRestricted'
  /** The broadcaster's grant lacks a permission. */
  | 'permissionsMissing';

/**
 * What stands against somebody's rules on a channel, or null. Everything is read of Twitch with its broadcaster's
 * grant, whoever owns the rule.
 */
export async function channelBlocker(
  q: Reader,
  { channelId, userId }: { channelId: string; userId: string },
): Promise<ChannelBlocker | null> {
  const ownId = await findChannelOf(q, userId);
  if (!ownId) return 'twitchNotLinked';
  if (ownId !== channelId && !(await isAdmitted(q, { channelId, userId }))) return 'notAdmitted';
  const [broadcaster] = await q
    .select({ state: twitchAccounts.state, scopes: twitchAccounts.scopes })
    .from(twitchAccounts)
    .where(eq(twitchAccounts.twitchId, channelId));
  if (!broadcaster) return 'broadcasterGone';
  if (broadcaster.state === 'restricted') return 'broadcasterRestricted';
  return missingStreamerScopes(broadcaster.scopes).length > 0 ? 'permissionsMissing' : null;
}

async function isAdmitted(
  q: Reader,
  { channelId, userId }: { channelId: string; userId: string },
): Promise<boolean> {
  const guest = and(eq(channelGuests.channelId, channelId), eq(channelGuests.userId, userId));
  return (await q.$count(channelGuests, guest)) > 0;
}
