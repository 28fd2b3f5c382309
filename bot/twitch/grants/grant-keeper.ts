import { setTimeout as delay } from 'node:timers/promises';
import type { TwitchOAuth } from '#bot/twitch/grants/oauth.ts';
import { TwitchFault, twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import type { TwitchGrant } from '#domain/account/twitch/twitch-grant.ts';

/** Stores grants of one kind: linked broadcasters, or chat accounts. */
export interface GrantStore {
  /** Null if it is not connected, or known to be invalid. */
  find(twitchId: string): Promise<TwitchGrant | null>;
  /** Stores `grant` unless the grant it replaces has been replaced already. */
  replace(twitchId: string, grant: TwitchGrant, replacesObtainedAtMs: number): Promise<void>;
  /**
   * Records that this grant is useless, so that its owner is asked to connect again: it `ended`, or is
   * `unusable` although it is valid.
   */
  markDead(twitchId: string, obtainedAtMs: number, why: 'ended' | 'unusable'): Promise<void>;
}

/** The scopes of a valid grant; `obtainedAtMs` identifies it. */
export type CheckedGrant = Pick<TwitchGrant, 'scopes' | 'obtainedAtMs'>;

/** A grant newer than this is not refreshed: the refused call started before. System time. */
const FRESH_MS = 5000;
/** Another process that refreshes the same grant gets this long to store the result. */
const OTHER_PROCESS_WAIT_MS = 1500;

/**
 * Reads grants and refreshes them, one refresh at a time per user. Nothing is cached, so a grant renewed by another
 * process or by its owner is used at once. A refused refresh is final only while the store still holds the refused
 * grant; after any other failure the next call tries again.
 */
export function createGrantKeeper(store: GrantStore, oauth: Pick<TwitchOAuth, 'refresh' | 'validate'>) {
  const underWay = new Map<string, Promise<TwitchGrant>>();

  const getGrant = async (twitchId: string): Promise<TwitchGrant> => {
    const grant = await store.find(twitchId);
    if (!grant) throw new TwitchFault('grantDead', `no living grant of ${twitchId}`);
    return grant;
  };

  const refreshOnce = async (twitchId: string): Promise<TwitchGrant> => {
    const old = await getGrant(twitchId);
    const ageMs = Date.now() - old.obtainedAtMs;
    // A grant from the future was obtained while the host's clock was ahead, so its age is unknown.
    if (ageMs >= 0 && ageMs < FRESH_MS) return old;
    let renewed: TwitchGrant;
    try {
      renewed = await oauth.refresh(old);
    } catch (error) {
      const fault = twitchFaultOf(error);
      if (fault.code !== 'grantDead') throw fault;
      return await replacementOf(twitchId, old, fault);
    }
    await store.replace(twitchId, renewed, old.obtainedAtMs);
    return getGrant(twitchId);
  };

  const replacementOf = async (twitchId: string, dead: TwitchGrant, fault: TwitchFault) => {
    await delay(OTHER_PROCESS_WAIT_MS);
    const current = await getGrant(twitchId);
    if (current.obtainedAtMs !== dead.obtainedAtMs) return current;
    await store.markDead(twitchId, dead.obtainedAtMs, 'ended');
    throw fault;
  };

  const refresh = (twitchId: string): Promise<TwitchGrant> => {
    const running = underWay.get(twitchId);
    if (running) return running;
    const started = refreshOnce(twitchId).finally(() => underWay.delete(twitchId));
    underWay.set(twitchId, started);
    return started;
  };

  return {
    /** The current grant; throws `grantDead` when there is none. */
    find: getGrant,
    refresh,
    /**
     * Asks Twitch whether the grant is valid; an invalid one is refreshed, or marked dead. Returns the one that is valid,
     * with its scopes according to Twitch.
     */
    async check(twitchId: string): Promise<CheckedGrant> {
      const { accessToken, obtainedAtMs } = await getGrant(twitchId);
      const scopes = await oauth.validate(accessToken);
      return scopes ? { scopes, obtainedAtMs } : refresh(twitchId);
    },
    /**
     * Marks this grant as dead although it is valid: Twitch keeps refusing it, or it lacks a permission. A newer one is
     * left unchanged.
     */
    giveUp: (twitchId: string, { obtainedAtMs }: Pick<TwitchGrant, 'obtainedAtMs'>): Promise<void> =>
      store.markDead(twitchId, obtainedAtMs, 'unusable'),
  };
}

export type GrantKeeper = ReturnType<typeof createGrantKeeper>;
