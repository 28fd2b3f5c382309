import type { BotDeps } from '#bot/deps.ts';
import type { GrantStore } from '#bot/twitch/grants/grant-keeper.ts';
import { findChatAccount } from '#domain/account/twitch/find-chat-account.ts';
import { findTwitchGrant } from '#domain/account/twitch/find-twitch-grant.ts';
import { markTwitchRestricted } from '#domain/account/twitch/mark-twitch-restricted.ts';
import { updateChatTokens } from '#domain/account/twitch/update-chat-tokens.ts';
import { updateTwitchTokens } from '#domain/account/twitch/update-twitch-tokens.ts';

type Deps = Pick<BotDeps, 'db' | 'vault' | 'clock' | 'log'>;

/** The grants of linked Twitch accounts. A dead one restricts its link, which pauses its owner's rules. */
export function linkGrants({ db, vault, clock, log }: Deps): GrantStore {
  return {
    find: (twitchId) => findTwitchGrant(db, { vault, twitchId }),
    async replace(twitchId, grant, replacesObtainedAtMs) {
      await updateTwitchTokens(db, { vault, twitchId, grant, replacesObtainedAtMs });
    },
    async markDead(twitchId, obtainedAtMs, why) {
      const grant = { twitchId, obtainedAtMs, hasEnded: why === 'ended' };
      const outcome = await markTwitchRestricted(db, grant, clock.now());
      if (outcome.ok) log.warn({ twitchId }, 'a Twitch link lost its permission; its rules are paused');
    },
  };
}

/** The grants of chat accounts. */
export function chatGrants({ db, vault, log }: Deps): GrantStore {
  return {
    async find(twitchId) {
      const account = await findChatAccount(db, { vault, twitchId });
      return account && !account.broken ? account.grant : null;
    },
    async replace(twitchId, grant, replacesObtainedAtMs) {
      await updateChatTokens(db, { vault, twitchId, grant, replacesObtainedAtMs });
    },
    async markDead(twitchId, obtainedAtMs) {
      const input = { vault, twitchId, grant: null, replacesObtainedAtMs: obtainedAtMs };
      const outcome = await updateChatTokens(db, input);
      if (outcome.ok) log.warn({ twitchId }, 'the chat account must be connected again');
    },
  };
}
