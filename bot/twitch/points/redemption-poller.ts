import type { BotDeps } from '#bot/deps.ts';
import type { ChannelPointsApi } from '#bot/twitch/points/channel-points-api.ts';
import { loseIfGone } from '#bot/twitch/points/custom-reward-steps.ts';
import { type TwitchFault, twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import {
  listOpenRedemptions,
  listStandingRewards,
  type StandingReward,
} from '#domain/redemption/list-standing-rewards.ts';
import { confirmCustomReward } from '#domain/redemption/record-custom-reward.ts';
import { recordRedemption, type ToldRedemption } from '#domain/redemption/record-redemption.ts';

const MOST_AT_ONCE = 5;

type Deps = Pick<BotDeps, 'database' | 'clock' | 'log'> & {
  points: ChannelPointsApi;
  onFault(channelId: string, fault: TwitchFault): Promise<void>;
  /** System time. */
  everyMs: number;
  /** A custom reward is not as we made it: somebody changed it by hand. */
  changedByHand(ruleId: string): void;
};

/**
 * Finds what no event told: what was redeemed while nobody listened, what the streamer settled by hand, and what they
 * changed about our custom rewards. Each channel every few minutes, and at once when its events are heard (again).
 */
export function pollRedemptions(deps: Deps) {
  const { database, clock, log, points, onFault, everyMs, changedByHand } = deps;
  /** System time of the next poll of each channel. */
  const nextMs = new Map<string, number>();

  const poll = async (channelId: string, rewards: readonly StandingReward[], signal: AbortSignal) => {
    const listed = new Map((await points.list(channelId)).map((shown) => [shown.id, shown]));
    for (const reward of rewards) {
      const { ruleId, twitchRewardId, state, cost } = reward;
      const shown = listed.get(twitchRewardId);
      if (!shown && (await loseIfGone(deps, reward))) continue;
      if (shown && shown.state !== state)
        await confirmCustomReward(database, { ruleId, state: shown.state }, clock.now());
      if (shown && (shown.cost !== cost || shown.skipsQueue)) changedByHand(ruleId);
      await readRedemptions(deps, reward, signal);
    }
  };

  const attempt = async (channelId: string, rewards: readonly StandingReward[], signal: AbortSignal) => {
    nextMs.set(channelId, Date.now() + everyMs * (0.9 + 0.2 * Math.random()));
    try {
      await poll(channelId, rewards, signal);
    } catch (error) {
      if (signal.aborted) return;
      const fault = twitchFaultOf(error);
      log.warn({ channelId, code: fault.code, err: fault }, 'redemptions could not be read');
      await onFault(channelId, fault);
    }
  };

  return {
    async round(signal: AbortSignal): Promise<void> {
      const standing = new Map<string, StandingReward[]>();
      for (const reward of await listStandingRewards(database.read))
        standing.set(reward.channelId, [...(standing.get(reward.channelId) ?? []), reward]);
      for (const channelId of nextMs.keys()) if (!standing.has(channelId)) nextMs.delete(channelId);
      const due = [...standing].filter(([channelId]) => (nextMs.get(channelId) ?? 0) <= Date.now());
      for (let from = 0; from < due.length && !signal.aborted; from += MOST_AT_ONCE)
        await Promise.all(
          due
            .slice(from, from + MOST_AT_ONCE)
            .map(([channelId, rewards]) => attempt(channelId, rewards, signal)),
        );
    },
    /** An event told of a redemption, or of its end by hand. */
    async told(channelId: string, redemption: ToldRedemption): Promise<void> {
      const recorded = await recordRedemption(database, redemption, clock.now());
      if (recorded.ok && recorded.first)
        log.info(
          { channelId, redemption: redemption.id, refused: recorded.refundReason },
          'channel points were redeemed',
        );
    },
    catchUp(channelId: string): void {
      nextMs.set(channelId, 0);
    },
  };
}

/** What waits in the streamer's queue, and what became of what no longer does. */
async function readRedemptions(
  { database, clock, points }: Deps,
  { ruleId, channelId, twitchRewardId }: StandingReward,
  signal: AbortSignal,
): Promise<void> {
  const record = async (told: readonly ToldRedemption[]) => {
    for (const one of told) await recordRedemption(database, one, clock.now());
  };
  const waiting = await points.unfulfilled(channelId, twitchRewardId, signal);
  await record(waiting);
  const listed = new Set(waiting.map(({ id }) => id));
  const absent = (await listOpenRedemptions(database.read, ruleId)).filter((id) => !listed.has(id));
  await record(await points.read(channelId, twitchRewardId, absent));
}
