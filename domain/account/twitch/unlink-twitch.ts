import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { users } from '#db/schema/user.ts';
import { deleteChannel } from '#domain/account/delete-channel.ts';
import type { AccountCodeOf } from '#domain/identity/account-code.ts';
import { notifyOfChange } from '#domain/identity/notify-of-change.ts';
import { lockChannels } from '#domain/kernel/locks.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import type { Vault } from '#domain/kernel/vault.ts';
import { announce } from '#domain/outbox/announce.ts';
import { endRaffleOn } from '#domain/raffle/cancel-raffle.ts';
import { changePauseReason, pauseRulesOf } from '#domain/rule/pause-rules.ts';
import { openGrant } from './twitch-grant.ts';

/**
 * Unlinks a user's Twitch account: rules on their channel and their own rules on other channels pause, a raffle that
 * was not closed yet ends, promises stay valid, and the owner is mailed. Returns the access token for the caller to revoke. Refused
 * without a password, because then Twitch is the only way to sign in.
 */
export async function unlinkTwitch(
  db: Database,
  input: { vault: Vault; userId: string },
  nowMs: number,
): Promise<Outcome<{ accessToken: string }, AccountCodeOf<'twitchNotLinked' | 'passwordMissing'>>> {
  const { vault, userId } = input;
  return db.transaction(async (tx) => {
    const [found] = await tx
      .select({ account: twitchAccounts, passwordHash: users.passwordHash })
      .from(twitchAccounts)
      .innerJoin(users, eq(users.id, twitchAccounts.userId))
      .where(eq(twitchAccounts.userId, userId));
    if (!found) return refuse('twitchNotLinked');
    if (found.passwordHash === null) return refuse('passwordMissing');
    const { twitchId } = found.account;
    await tx.delete(twitchAccounts).where(eq(twitchAccounts.twitchId, twitchId));
    const anyOf = [{ channelId: twitchId }, { ownerId: userId }];
    await pauseRulesOf(tx, { anyOf, reason: 'lostPermission' }, nowMs);
    // Pausing took the channel's lock.
    await endRaffleOn(await lockChannels(tx, [twitchId]), twitchId, nowMs);
    // From now on nobody checks whether Twitch shows the account.
    await changePauseReason(tx, { channelId: twitchId, from: 'channelMissing', to: 'lostPermission' });
    await deleteChannel(tx, { channelId: twitchId });
    await notifyOfChange(tx, { userId, change: 'twitchUnlinked' }, nowMs);
    await announce(tx, [{ userId, kind: 'account.changed', subjectId: twitchId }], nowMs);
    return done({ accessToken: openGrant(vault, found.account, `twitch:${twitchId}`).accessToken });
  });
}
