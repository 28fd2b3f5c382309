import { creationRefusal, isMissing, type TwitchReward } from '#bot/twitch/points/channel-points-api.ts';
import {
  isOutdated,
  recordIfMissing,
  type StepDeps,
  stepCustomReward,
} from '#bot/twitch/points/custom-reward-steps.ts';
import { trackRefusedWords } from '#bot/twitch/points/refused-words.ts';
import { type TwitchFault, twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import type { NextDue } from '#bot/worker.ts';
import type { CustomRewardFault } from '#db/schema/redemption.ts';
import { hour, minute } from '#domain/kernel/time.ts';
import { listCustomRewards, type RuleCustomReward } from '#domain/redemption/list-custom-rewards.ts';
import { nextCustomRewardDueMs } from '#domain/redemption/next-redemption-due.ts';
import { deferCustomReward } from '#domain/redemption/record-custom-reward.ts';
import { steadyMs } from '#platform/steady-time.ts';

/** Pauses after faults that a person has to resolve first. System time. */
const RETRY_FAULT_MS: Record<CustomRewardFault, number> = {
  notAffiliate: hour,
  tooMany: 10 * minute,
  titleTaken: 10 * minute,
  permissionMissing: 10 * minute,
  wordsRefused: hour,
};
const MAX_PAUSE_MS = 10 * minute;
const MAX_AT_ONCE = 5;

type Deps = Omit<StepDeps, 'refused' | 'untraced'> & {
  onFault(channelId: string, fault: TwitchFault): Promise<void>;
  retryAfterMs: number;
  /** A channel's custom rewards are left alone for this long after `rest`. Steady time. */
  restMs: number;
  /** Called when something is due sooner than the last round assumed. */
  wake(): void;
};

/** Brings each rule's custom reward on Twitch to its desired state, one step per round. */
export function maintainCustomRewards(given: Deps) {
  const troubles = trackTroubles(given);
  const deps = { ...given, refused: trackRefusedWords(), untraced: troubles.untraced };
  const { db, clock, restMs, wake } = deps;
  /** Custom rewards as last seen on Twitch; removed when they are as desired. */
  const lastSeen = new Map<string, TwitchReward>();
  /** Times (steady time) until which a channel's custom rewards are left alone. */
  const restUntilMs = new Map<string, number>();
  const underWay = new Map<string, { channelId: string; ends: Promise<void> }>();
  const isResting = (channelId: string) => (restUntilMs.get(channelId) ?? 0) > steadyMs();

  const attempt = async (reward: RuleCustomReward): Promise<void> => {
    const { ruleId, twitchRewardId } = reward;
    try {
      await stepCustomReward(deps, reward, lastSeen.get(ruleId) ?? null).catch(async (error) => {
        const isLost = isMissing(error) && twitchRewardId;
        if (!isLost || (await recordIfMissing(deps, { ...reward, twitchRewardId })) !== 'gone') throw error;
      });
      troubles.clear(ruleId);
      lastSeen.delete(ruleId);
    } catch (error) {
      await troubles.add(reward, error);
    }
  };

  const step = async (reward: RuleCustomReward): Promise<void> => {
    const { ruleId, channelId } = reward;
    if (isResting(channelId)) return;
    const ends = attempt(reward).finally(() => underWay.delete(ruleId));
    underWay.set(ruleId, { channelId, ends });
    await ends;
  };

  const isDue = async (reward: RuleCustomReward): Promise<boolean> => {
    const { ruleId, state, desired } = reward;
    if (state !== desired) return true;
    const shown = lastSeen.get(ruleId);
    if (shown && (await isOutdated(deps, reward, shown))) return true;
    lastSeen.delete(ruleId);
    return false;
  };

  return {
    /** Leaves a channel's custom rewards alone for a while; resolves when no step is running for them. */
    async rest(channelId: string): Promise<void> {
      restUntilMs.set(channelId, steadyMs() + restMs);
      const theirs = [...underWay.values()].filter((step) => step.channelId === channelId);
      await Promise.allSettled(theirs.map(({ ends }) => ends));
    },
    /** Reports a custom reward as seen on Twitch; differences are corrected in the next round. */
    seen(ruleId: string, shown: TwitchReward): void {
      lastSeen.set(ruleId, shown);
      wake();
    },
    async round(signal: AbortSignal): Promise<NextDue> {
      for (const channelId of restUntilMs.keys()) if (!isResting(channelId)) restUntilMs.delete(channelId);
      // The time is read now, so that everything which becomes due from here on is due.
      const [nowMs, systemMs] = [clock.now(), Date.now()];
      const known = await listCustomRewards(db.read, nowMs, systemMs);
      const due: RuleCustomReward[] = [];
      for (const reward of known) if (await isDue(reward)) due.push(reward);
      for (let from = 0; from < due.length && !signal.aborted; from += MAX_AT_ONCE)
        await Promise.all(due.slice(from, from + MAX_AT_ONCE).map(step));
      // A step may have failed, or another may follow.
      if (due.length > 0) return 0;
      const ruleIds = known.map(({ ruleId }) => ruleId);
      return nextCustomRewardDueMs(db.read, { ruleIds }, nowMs, systemMs);
    },
  };
}

/** Tracks failed steps and when to retry them: with growing pauses, and rarely when a person has to act first. */
function trackTroubles({ db, clock, log, onFault, retryAfterMs }: Deps) {
  const failures = new Map<string, number>();
  const untraced: StepDeps['untraced'] = new Map<string, number>();
  return {
    untraced,
    clear(ruleId: string): void {
      for (const known of [failures, untraced]) known.delete(ruleId);
    },
    async add({ ruleId, channelId }: RuleCustomReward, error: unknown): Promise<void> {
      const cause = twitchFaultOf(error);
      // It says nothing of Twitch.
      if (cause.code === 'leaseEnded') return;
      const fault = faultOf(error, cause);
      const failureCount = (failures.get(ruleId) ?? 0) + 1;
      failures.set(ruleId, failureCount);
      const pauseMs = Math.min(MAX_PAUSE_MS, retryAfterMs * 2 ** Math.min(failureCount - 1, 10));
      const retryAtMs = Date.now() + (fault ? RETRY_FAULT_MS[fault] : pauseMs) * (0.8 + 0.4 * Math.random());
      log.warn(
        { ruleId, channelId, code: fault ?? cause.code, err: cause },
        'could not update a custom reward',
      );
      await deferCustomReward(db, { ruleId, fault, retryAtMs: Math.round(retryAtMs) }, clock.now());
      await onFault(channelId, cause);
    },
  };
}

function faultOf(error: unknown, { code }: TwitchFault): CustomRewardFault | null {
  if (code === 'notAffiliate' || code === 'permissionMissing') return code;
  return creationRefusal(error);
}
