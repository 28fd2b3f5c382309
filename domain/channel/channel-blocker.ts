import { and, eq } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { channelGuests } from '#db/schema/channel.ts';
import { missingStreamerScopes } from '#domain/identity/twitch/twitch-scopes.ts';
import { findChannelOf } from './find-channel.ts';

/** The reasons why a user cannot run rules on a channel now. */
export type ChannelBlocker =
  /** The user's own Twitch account is not linked. */
  | 'twitchNotLinked'
  /** The broadcaster has not admitted this user, or no longer does. */
  | 'notAdmitted'
  /** No user has linked the channel's Twitch account. */
  | 'broadcasterMissing'
  /** Twitch shows no such channel: it is suspended or deleted. */
  | 'channelMissing'
  /** The broadcaster's grant is dead. */
  | 'broadcasterRestricted'
  /** The broadcaster's grant lacks a permission. */
  | 'permissionsMissing'
  /** The broadcaster's grant lacks the permission for channel points, which only such rules need. */
  | 'pointsPermissionMissing';

/**
 * Returns what prevents a user from running rules on a channel, or only rules for channel points; null if
 * nothing does. Twitch is always read with the broadcaster's grant, whoever owns the rule.
 */
export async function channelBlocker(
  q: Reader,
  { channelId, userId, asksPoints = false }: { channelId: string; userId: string; asksPoints?: boolean },
): Promise<ChannelBlocker | null> {
  const ownId = await findChannelOf(q, userId);
  if (!ownId) return 'twitchNotLinked';
  if (ownId !== channelId && !(await isAdmitted(q, { channelId, userId }))) return 'notAdmitted';
  const [broadcaster] = await q
    .select({
      state: twitchAccounts.state,
      scopes: twitchAccounts.scopes,
      missingSinceMs: twitchAccounts.missingSinceMs,
    })
    .from(twitchAccounts)
    .where(eq(twitchAccounts.twitchId, channelId));
  if (!broadcaster) return 'broadcasterMissing';
  if (broadcaster.missingSinceMs !== null) return 'channelMissing';
  if (broadcaster.state === 'restricted') return 'broadcasterRestricted';
  if (missingStreamerScopes(broadcaster.scopes).length > 0) return 'permissionsMissing';
  return missingStreamerScopes(broadcaster.scopes, { asksPoints }).length > 0
    ? 'pointsPermissionMissing'
    : null;
}

async function isAdmitted(
  q: Reader,
  { channelId, userId }: { channelId: string; userId: string },
): Promise<boolean> {
  const guest = and(eq(channelGuests.channelId, channelId), eq(channelGuests.userId, userId));
  return (await q.$count(channelGuests, guest)) > 0;
}
