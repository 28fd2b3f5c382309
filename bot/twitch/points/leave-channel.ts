import { setTimeout as delay } from 'node:timers/promises';
import type { BotDeps } from '#bot/deps.ts';
import type { ChannelPointsApi } from '#bot/twitch/points/channel-points-api.ts';
import { twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import { countUnreported } from '#domain/redemption/count-unreported.ts';
import { listLinkedRewards } from '#domain/redemption/list-custom-rewards.ts';
import { confirmCustomReward } from '#domain/redemption/record-custom-reward.ts';
import { recordRedemption } from '#domain/redemption/record-redemption.ts';
import { second } from '#domain/time.ts';

/** A person waits for it. System time. */
const DEADLINE_MS = 10 * second;
const RECHECK_MS = second / 5;

type Deps = Pick<BotDeps, 'database' | 'clock' | 'log'> & {
  points: ChannelPointsApi;
  customRewards: { rest(channelId: string): Promise<void> };
  settler: { round(signal: AbortSignal): Promise<unknown> };
};

/** True: nothing takes points on the channel any more, and Twitch was told of every redemption that was decided. */
export type LeaveChannel = (channelId: string) => Promise<boolean>;

/**
 * Gets a channel ready for its owner to take Twitch off, as long as there is a grant to do it with: hides its custom
 * rewards, decides what was redeemed unheard, and tells Twitch what it was not told yet. Points behind promises go on
 * waiting. Who stays after all is served again: the custom rewards are only left alone for a while.
 */
export function leaveChannels(deps: Deps, deadlineMs = DEADLINE_MS): LeaveChannel {
  const { database, log } = deps;
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
        'custom rewards were not switched off before their owner left',
      );
      return false;
    }

    async function settleAll(): Promise<boolean> {
      while (!signal.aborted) {
        await deps.settler.round(signal);
        if ((await countUnreported(database.read, { channelId })) === 0) return true;
        // Another process, or an earlier round, may be at it.
        await delay(RECHECK_MS);
      }
      return false;
    }
  };
}

/** All that Twitch lists: one whose creation was answered by nobody is hidden too. */
async function hideAll(deps: Deps, channelId: string, signal: AbortSignal): Promise<void> {
  const { database, clock, log, points, customRewards } = deps;
  await customRewards.rest(channelId);
  const listed = await points.list(channelId);
  const linked = await listLinkedRewards(
    database.read,
    listed.map(({ id }) => id),
  );
  for (const { id } of listed) {
    signal.throwIfAborted();
    const { state } = await points.update(channelId, id, { isEnabled: false, isPaused: false });
    const ruleId = linked.get(id);
    if (ruleId) await confirmCustomReward(database, { ruleId, state }, clock.now());
  }
  // Only now can nothing be redeemed any more.
  for (const { id } of listed)
    for (const redemption of await points.listUnfulfilled(channelId, id, signal))
      await recordRedemption(database, redemption, clock.now());
  log.info(
    { channelId, customRewards: listed.length },
    'custom rewards were switched off: their owner leaves',
  );
}
