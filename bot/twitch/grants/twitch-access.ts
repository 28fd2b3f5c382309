import { unlimited } from '#bot/call-in-time.ts';
import type { BotDeps } from '#bot/deps.ts';
import type { HeldLease } from '#bot/leases.ts';
import { type CallTime, type TwitchApi, twitchApi } from '#bot/twitch/api.ts';
import { DatabaseAuthProvider } from '#bot/twitch/grants/database-auth-provider.ts';
import { type CheckedGrant, createGrantKeeper, type GrantStore } from '#bot/twitch/grants/grant-keeper.ts';
import { linkGrants } from '#bot/twitch/grants/grant-stores.ts';
import type { TwitchOAuth } from '#bot/twitch/grants/oauth.ts';
import { trackRefusals } from '#bot/twitch/grants/refusals.ts';
import { endpointOf, type TwitchFault, twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import { pausePointsRules } from '#domain/account/twitch/pause-points-rules.ts';
import { recordMissingAccount } from '#domain/account/twitch/record-missing-account.ts';
import { missingStreamerScopes } from '#domain/identity/twitch/twitch-scopes.ts';
import { steadyMs } from '#platform/steady-time.ts';

/** Twitch's API with the grants of linked broadcasters, including what happens when a grant turns out to be invalid. */
export interface TwitchAccess {
  api: TwitchApi;
  /** Must be called when a call with a broadcaster's grant failed. */
  onFault(channelId: string, fault: TwitchFault): Promise<void>;
  /** Asks Twitch whether a broadcaster's grant is still valid and has every permission that each rule needs. */
  check(channelId: string): Promise<void>;
  /**
   * Asks Twitch whether the grant of anyone who is linked is still valid, and marks it dead if not. Throws if
   * Twitch gives no answer.
   */
  validate(twitchId: string): Promise<void>;
}

interface Options {
  clientId: string;
  oauth: TwitchOAuth;
  /** Omitted under one lease for all channels, and by those who only read. */
  leftMs?: CallTime;
  /** Steady time. */
  now?(): number;
}

/**
 * Opens Twitch's API with broadcasters' grants. A grant is marked dead when
 * Twitch says that it ended or lacks a permission that each rule needs, or has refused one kind of call for a
 * quarter of an hour. A single refusal only leads to a check of the grant. A grant that lacks nothing but
 * channel points stays, and only rules that ask for them pause.
 */
export function openTwitchAccess(
  deps: BotDeps & { lease?: Pick<HeldLease, 'store' | 'leftMs'> },
  { clientId, oauth, leftMs = deps.lease?.leftMs ?? unlimited, now = steadyMs }: Options,
): TwitchAccess {
  const links = linkGrants(deps);
  const markDead: GrantStore['markDead'] = async (channelId, obtainedAtMs, why) => {
    await recordIfMissing(deps, api, channelId);
    await links.markDead(channelId, obtainedAtMs, why);
  };
  const grants = createGrantKeeper({ ...links, markDead }, oauth);
  const refusals = trackRefusals(now);
  const api = twitchApi(new DatabaseAuthProvider(clientId, grants, oauth), deps.log, refusals.record, leftMs);
  // All topics of a channel share one grant, so they share one check.
  const checks = new Map<string, Promise<CheckedGrant | null>>();
  const giveUpIfLacking = async (channelId: string, grant: CheckedGrant): Promise<boolean> => {
    if (missingStreamerScopes(grant.scopes).length === 0) return false;
    await grants.giveUp(channelId, grant);
    return true;
  };
  const checkOnce = (channelId: string): Promise<CheckedGrant | null> =>
    grants
      .check(channelId)
      .then(async (grant) => ((await giveUpIfLacking(channelId, grant)) ? null : grant))
      .catch((error) => {
        deps.log.warn({ channelId, code: twitchFaultOf(error).code }, 'could not check a grant');
        return null;
      })
      .finally(() => checks.delete(channelId));
  /** Returns the grant, if it is valid and sufficient. */
  const check = (channelId: string): Promise<CheckedGrant | null> => {
    const running = checks.get(channelId) ?? checkOnce(channelId);
    checks.set(channelId, running);
    return running;
  };
  const handleRefusal = async (channelId: string, endpoint: string | null) => {
    const grant = await check(channelId);
    if (!grant || endpoint === null || !refusals.hasLasted(channelId, endpoint)) return;
    deps.log.warn({ channelId, endpoint }, 'Twitch keeps refusing a valid grant');
    refusals.clear(channelId);
    await grants.giveUp(channelId, grant);
  };
  const handleLack = async (channelId: string) => {
    const grant = await links.find(channelId);
    if (!grant || (await giveUpIfLacking(channelId, grant))) return;
    if (await pausePointsRules(deps.db, { twitchId: channelId }, deps.clock.now()))
      deps.log.warn({ channelId }, 'a grant lacks channel points; the rules that ask for them are paused');
  };
  return {
    api,
    async onFault(channelId, fault) {
      if (fault.code === 'permissionMissing') await handleLack(channelId);
      if (fault.code === 'accessRefused') await handleRefusal(channelId, endpointOf(fault));
      // These refusals have nothing to do with the grant.
      if (fault.code === 'notAffiliate' || fault.code === 'refused') refusals.clear(channelId);
    },
    async check(channelId) {
      await check(channelId);
    },
    async validate(twitchId) {
      try {
        await grants.check(twitchId);
      } catch (error) {
        const fault = twitchFaultOf(error);
        if (fault.code !== 'grantDead') throw fault;
      }
    },
  };
}

/** Twitch refuses a suspended or deleted account's grant like a withdrawn one; only its lists show the difference. */
async function recordIfMissing({ db, clock, log }: BotDeps, api: TwitchApi, twitchId: string): Promise<void> {
  try {
    if ((await api.peopleOf([twitchId])).length > 0) return;
    await recordMissingAccount(db, { twitchId }, clock.now());
    log.warn({ twitchId }, 'Twitch shows no such account any more');
  } catch (error) {
    log.warn({ twitchId, code: twitchFaultOf(error).code }, 'could not look for an account');
  }
}
