import type { BotDeps } from '#bot/deps.ts';
import type { HeldLease } from '#bot/leases.ts';
import type { GrantStore } from '#bot/twitch/grants/grant-keeper.ts';
import type { Database } from '#db/database.ts';
import { findChatAccount } from '#domain/account/twitch/find-chat-account.ts';
import { findTwitchGrant } from '#domain/account/twitch/find-twitch-grant.ts';
import { markTwitchRestricted } from '#domain/account/twitch/mark-twitch-restricted.ts';
import { updateChatTokens } from '#domain/account/twitch/update-chat-tokens.ts';
import { updateTwitchTokens } from '#domain/account/twitch/update-twitch-tokens.ts';

/** Without a lease in a process that does nothing on Twitch but ask. */
type Deps = Pick<BotDeps, 'db' | 'vault' | 'clock' | 'log'> & { lease?: Pick<HeldLease, 'store'> };

/**
 * The database for a grant that Twitch has just renewed: the one before may be dead, so the new one is kept even after the
 * lease is lost. Only the grant that it renews is replaced.
 */
const storeOf = ({ lease, db }: Pick<Deps, 'lease' | 'db'>): Database => lease?.store ?? db;

/** The grants of linked Twitch accounts. A dead one restricts its link, which pauses its owner's rules. */
export function linkGrants(deps: Deps): GrantStore {
  const { db, vault, clock, log } = deps;
  return {
    find: (twitchId) => findTwitchGrant(db, { vault, twitchId }),
    async replace(twitchId, grant, replacesObtainedAtMs) {
      await updateTwitchTokens(storeOf(deps), { vault, twitchId, grant, replacesObtainedAtMs });
    },
    async markDead(twitchId, obtainedAtMs, why) {
      const grant = { twitchId, obtainedAtMs, hasEnded: why === 'ended' };
      const outcome = await markTwitchRestricted(db, grant, clock.now());
      if (outcome.ok) log.warn({ twitchId }, 'a Twitch link lost its permission; its rules are paused');
    },
  };
}

/** The grants of chat accounts. */
export function chatGrants(deps: Omit<Deps, 'clock'>): GrantStore {
  const { db, vault, log } = deps;
  return {
    async find(twitchId) {
      const account = await findChatAccount(db, { vault, twitchId });
      return account && !account.broken ? account.grant : null;
    },
    async replace(twitchId, grant, replacesObtainedAtMs) {
      await updateChatTokens(storeOf(deps), { vault, twitchId, grant, replacesObtainedAtMs });
    },
    async markDead(twitchId, obtainedAtMs) {
      const input = { vault, twitchId, grant: null, replacesObtainedAtMs: obtainedAtMs };
      const outcome = await updateChatTokens(db, input);
      if (outcome.ok) log.warn({ twitchId }, 'the chat account must be connected again');
    },
  };
}
