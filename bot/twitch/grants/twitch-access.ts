import type { BotDeps } from '#bot/deps.ts';
import { type TwitchApi, twitchApi } from '#bot/twitch/api.ts';
import { DatabaseAuthProvider } from '#bot/twitch/grants/database-auth-provider.ts';
import { createGrantKeeper } from '#bot/twitch/grants/grant-keeper.ts';
import { linkGrants } from '#bot/twitch/grants/grant-stores.ts';
import type { TwitchOAuth } from '#bot/twitch/grants/oauth.ts';
import { type TwitchFault, twitchFaultOf } from '#bot/twitch/twitch-fault.ts';

/** Twitch's API with the grants of linked broadcasters, including what happens when a grant turns out to be invalid. */
export interface TwitchAccess {
  api: TwitchApi;
  /** Call this when a call with a broadcaster's grant failed. */
  onFault(channelId: string, fault: TwitchFault): Promise<void>;
  /** Asks Twitch whether a broadcaster's grant is still valid. */
  check(channelId: string): Promise<void>;
}

interface Options {
  clientId: string;
  oauth: TwitchOAuth;
  /** Called when a broadcaster's grant was found invalid. */
  permissionLost(channelId: string): void;
}

/**
 * Opens Twitch's API with broadcasters' grants. A grant that Twitch refuses is marked dead, whichever call found out,
 * and `permissionLost` is called.
 */
export function openTwitchAccess(deps: BotDeps, { clientId, oauth, permissionLost }: Options): TwitchAccess {
  const links = linkGrants(deps);
  const markDead = async (channelId: string, obtainedAtMs: number) => {
    await links.markDead(channelId, obtainedAtMs);
    permissionLost(channelId);
  };
  const grants = createGrantKeeper({ ...links, markDead }, oauth);
  // All topics of a channel share one grant, so they share one check.
  const checks = new Map<string, Promise<void>>();
  const checkOnce = (channelId: string): Promise<void> =>
    grants
      .check(channelId)
      .catch((error) => {
        deps.log.warn({ channelId, code: twitchFaultOf(error).code }, 'could not check a grant');
      })
      .finally(() => checks.delete(channelId));
  return {
    api: twitchApi(new DatabaseAuthProvider(clientId, grants, oauth), deps.log),
    async onFault(channelId, fault) {
      if (fault.code === 'permissionMissing') await grants.giveUp(channelId);
    },
    check(channelId) {
      const running = checks.get(channelId) ?? checkOnce(channelId);
      checks.set(channelId, running);
      return running;
    },
  };
}
