import { setTimeout as delay } from 'node:timers/promises';
import type { BotDeps } from '#bot/deps.ts';
import type { ChannelPointsApi } from '#bot/twitch/points/channel-points-api.ts';
import { twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import { second } from '#domain/kernel/time.ts';
import { countUnreported } from '#domain/redemption/count-unreported.ts';
import { listLinkedRewards } from '#domain/redemption/list-custom-rewards.ts';
import { confirmCustomReward } from '#domain/redemption/record-custom-reward.ts';
import { recordRedemption } from '#domain/redemption/record-redemption.ts';

/** Kept short because a person is waiting. System time. */
const DEADLINE_MS = 10 * second;
const RECHECK_MS = second / 5;

type Deps = Pick<BotDeps, 'db' | 'clock' | 'log'> & {
  points: ChannelPointsApi;
  customRewards: { rest(channelId: string): Promise<void> };
  settler: { round(signal: AbortSignal): Promise<unknown> };
};

/**
 * Returns true if nothing on the channel takes points any more, and Twitch knows of every redemption that was
 * decided.
 */
export type LeaveChannel = (channelId: string) => Promise<boolean>;

/**
 * Prepares a channel for its owner disconnecting Twitch, while there is still a grant: hides its custom rewards,
 * decides redemptions not seen yet, and settles those that were decided. Points behind promises stay open. If the owner
 * stays after all, work resumes after a while.
 */
export function leaveChannels(deps: Deps, deadlineMs = DEADLINE_MS): LeaveChannel {
  const { db, log } = deps;
  return async (channelId) => {
    const signal = AbortSignal.timeout(deadlineMs);
    const late = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    try {
      await Promise.race([hideAll(deps, channelId, signal), late]);
      return await Promise.race([settleAll(), late]);
    } catch (error) {
      const { code } = twitchFaultOf(error);
      log.warn(
        { channelId, code, err: error },
        'could not switch off the custom rewards before their owner disconnects',
      );
      return false;
    }

    async function settleAll(): Promise<boolean> {
      while (!signal.aborted) {
        await deps.settler.round(signal);
        if ((await countUnreported(db.read, { channelId })) === 0) return true;
        // Another process or an earlier round may be working on it.
        await delay(RECHECK_MS);
      }
      return false;
    }
  };
}

/** Hides all custom rewards that Twitch lists, including one whose creation got no answer. */
async function hideAll(deps: Deps, channelId: string, signal: AbortSignal): Promise<void> {
  const { db, clock, log, points, customRewards } = deps;
  await customRewards.rest(channelId);
  const listed = await points.list(channelId);
  const linked = await listLinkedRewards(
    db.read,
    listed.map(({ id }) => id),
  );
  for (const { id } of listed) {
    signal.throwIfAborted();
    const { state } = await points.update(channelId, id, { isEnabled: false, isPaused: false });
    const ruleId = linked.get(id);
    if (ruleId) await confirmCustomReward(db, { ruleId, state }, clock.now());
  }
  // After this loop nothing can be redeemed.
  for (const { id } of listed)
    for (const redemption of await points.listUnfulfilled(channelId, id, signal))
      await recordRedemption(db, redemption, clock.now());
  log.info(
    { channelId, customRewards: listed.length },
    'custom rewards switched off: their owner is disconnecting',
  );
}
