import type { BotDeps } from '#bot/deps.ts';
import type { ChannelPointsApi, TwitchReward } from '#bot/twitch/points/channel-points-api.ts';
import { recordIfMissing } from '#bot/twitch/points/custom-reward-steps.ts';
import { trackUnreadQueues, type UnreadQueues } from '#bot/twitch/points/unread-queues.ts';
import { type TwitchFault, twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import type { NextDue } from '#bot/worker.ts';
import { hour } from '#domain/kernel/time.ts';
import { listKnownRedemptions } from '#domain/redemption/list-known-redemptions.ts';
import {
  type LiveCustomReward,
  listLiveCustomRewards,
  listOpenRedemptions,
} from '#domain/redemption/list-live-custom-rewards.ts';
import {
  confirmCustomReward,
  deferCustomReward,
  recordSeenCustomReward,
} from '#domain/redemption/record-custom-reward.ts';
import { type ReportedRedemption, recordRedemption } from '#domain/redemption/record-redemption.ts';
import { byRedeemedAt } from '#domain/redemption/redemption-order.ts';
import { steadyMs } from '#platform/steady-time.ts';

const MAX_AT_ONCE = 5;

type Deps = Pick<BotDeps, 'db' | 'clock' | 'log'> & {
  points: ChannelPointsApi;
  onFault(channelId: string, fault: TwitchFault): Promise<void>;
  /** Interval between polls of a channel. Steady time. */
  everyMs: number;
  /**
   * Like `everyMs`, for a channel on which nothing can be redeemed now and whose events all arrive. Steady
   * time.
   */
  pausedEveryMs: number;
  retryAfterMs: number;
  /** Returns whether all events of a channel are received. */
  receivesAllEvents(channelId: string): boolean;
  /** Reports a rule's custom reward as seen on Twitch. */
  seen(ruleId: string, shown: TwitchReward): void;
  /** Called when something is due sooner than the last round assumed. */
  wake(): void;
};

/**
 * Finds what no event reported: redemptions made while we were not listening, those that the streamer settled by hand,
 * and changes to our custom rewards. Polls each channel every few minutes, and at once when its events arrive (again).
 * Until then no redemption is decided, so that they are served in the order in which they were made.
 */
export function pollRedemptions(deps: Deps) {
  const { db, log, onFault, everyMs, pausedEveryMs, retryAfterMs, wake } = deps;
  let standing = byChannel([]);
  const polls = scheduleOf({
    everyMsOf: (channelId) =>
      arePaused(standing.get(channelId)) && deps.receivesAllEvents(channelId) ? pausedEveryMs : everyMs,
    maxRetryMs: everyMs,
    retryAfterMs,
  });
  const queues = trackUnreadQueues();

  const attempt = async (channelId: string, rewards: readonly LiveCustomReward[], signal: AbortSignal) => {
    polls.begin(channelId);
    try {
      await readChannel(deps, queues, channelId, rewards, signal);
      polls.succeed(channelId);
    } catch (error) {
      if (signal.aborted) return;
      polls.fail(channelId);
      const fault = twitchFaultOf(error);
      log.warn({ channelId, code: fault.code, err: fault }, 'could not read the redemptions');
      if (fault.code === 'notAffiliate') await recordLoss(deps, rewards);
      await onFault(channelId, fault);
    }
  };

  const isDue = (channelId: string, rewards: readonly LiveCustomReward[]): boolean =>
    polls.isNow(channelId) ||
    (!polls.hasFailed(channelId) && rewards.some(({ twitchRewardId }) => !queues.wasRead(twitchRewardId)));

  return {
    async round(signal: AbortSignal): Promise<NextDue> {
      const all = await listLiveCustomRewards(db.read);
      standing = byChannel(all);
      queues.limitTo(new Set(all.map(({ twitchRewardId }) => twitchRewardId)));
      polls.limitTo(standing);
      const now = [...standing].filter(([channelId, rewards]) => isDue(channelId, rewards));
      for (let from = 0; from < now.length && !signal.aborted; from += MAX_AT_ONCE)
        await Promise.all(
          now
            .slice(from, from + MAX_AT_ONCE)
            .map(([channelId, rewards]) => attempt(channelId, rewards, signal)),
        );
      return [...standing].some(([channelId, rewards]) => isDue(channelId, rewards)) ? 0 : polls.nextInMs();
    },
    /** Handles an event about a redemption or its end. */
    handleRedemption: recordRedeemed(deps, queues),
    /** Events may be missed from now on. */
    mayMiss: queues.markUnread,
    /** Events arrive (again). */
    catchUp(channelId: string): void {
      queues.markUnread(channelId);
      polls.pollSoon(channelId);
      wake();
    },
  };
}

/** Records what an event says, which is decided once the custom reward's queue has been read. */
function recordRedeemed({ db, clock, log }: Deps, queues: UnreadQueues) {
  return async function record(channelId: string, redemption: ReportedRedemption): Promise<void> {
    const decides = queues.wasRead(redemption.twitchRewardId);
    const recorded = await recordRedemption(db, redemption, clock.now(), { decides });
    if (recorded.ok && recorded.first)
      log.info(
        { channelId, redemption: redemption.id, refused: recorded.refundReason },
        'channel points redeemed',
      );
    if (recorded.ok || recorded.code !== 'undecided') return;
    // Its queue may have been read during the query.
    if (queues.wasRead(redemption.twitchRewardId)) return record(channelId, redemption);
    queues.hold(redemption);
  };
}

function byChannel(rewards: readonly LiveCustomReward[]): Map<string, LiveCustomReward[]> {
  const grouped = new Map<string, LiveCustomReward[]>();
  for (const reward of rewards) {
    const others = grouped.get(reward.channelId);
    if (others) others.push(reward);
    else grouped.set(reward.channelId, [reward]);
  }
  return grouped;
}

/** Returns whether nothing can be redeemed, according to the last confirmed states. */
const arePaused = (rewards: readonly LiveCustomReward[] = []): boolean =>
  rewards.every(({ state }) => state !== 'enabled');

interface Pace {
  everyMsOf(channelId: string): number;
  maxRetryMs: number;
  retryAfterMs: number;
}

/**
 * Schedules each channel's next poll, by steady time: at its current interval, or sooner after a failure,
 * with growing pauses. Channels first polled together, as after a start, are spread out at once.
 */
function scheduleOf({ everyMsOf, maxRetryMs, retryAfterMs }: Pace) {
  /** The start of each channel's wait, and its share of the interval. */
  const waits = new Map<string, { fromMs: number; share: number }>();
  const failures = new Map<string, number>();
  const dueMs = (channelId: string): number => {
    const { fromMs, share } = waits.get(channelId) ?? { fromMs: 0, share: 0 };
    return share === 0 ? fromMs : fromMs + share * everyMsOf(channelId);
  };
  return {
    isNow: (channelId: string): boolean => dueMs(channelId) <= steadyMs(),
    /** Milliseconds until the next poll; null if there is no channel. */
    nextInMs: (): NextDue => (waits.size > 0 ? Math.min(...[...waits.keys()].map(dueMs)) - steadyMs() : null),
    hasFailed: (channelId: string): boolean => failures.has(channelId),
    begin(channelId: string): void {
      const isRegular = (waits.get(channelId)?.share ?? 0) > 0;
      const share = isRegular ? 0.9 + 0.2 * Math.random() : 0.5 + 0.5 * Math.random();
      waits.set(channelId, { fromMs: steadyMs(), share });
    },
    succeed(channelId: string): void {
      failures.delete(channelId);
    },
    fail(channelId: string): void {
      const failed = (failures.get(channelId) ?? 0) + 1;
      failures.set(channelId, failed);
      const pauseMs = Math.min(maxRetryMs, retryAfterMs * 2 ** (failed - 1)) * (0.8 + 0.4 * Math.random());
      waits.set(channelId, { fromMs: steadyMs() + pauseMs, share: 0 });
    },
    pollSoon(channelId: string): void {
      waits.set(channelId, { fromMs: 0, share: 0 });
    },
    /** Drops all other channels. */
    limitTo(channels: ReadonlyMap<string, unknown>): void {
      for (const known of [waits, failures])
        for (const channelId of known.keys()) if (!channels.has(channelId)) known.delete(channelId);
    },
  };
}

/** Checks all custom rewards of one channel and reads their queues. A failure with one does not affect the others. */
async function readChannel(
  deps: Deps,
  queues: UnreadQueues,
  channelId: string,
  rewards: readonly LiveCustomReward[],
  signal: AbortSignal,
): Promise<void> {
  const listed = new Map((await deps.points.list(channelId)).map((shown) => [shown.id, shown]));
  const faults: unknown[] = [];
  for (const reward of rewards) {
    signal.throwIfAborted();
    try {
      if (await isStillLive(deps, reward, listed.get(reward.twitchRewardId)))
        await readQueue(deps, queues, reward, signal);
    } catch (error) {
      faults.push(error);
    }
  }
  if (faults.length > 0) throw faults[0];
}

/** Records that the channel lost its status, and its custom rewards with it: their rules say so until it is back. */
async function recordLoss({ db, clock }: Deps, rewards: readonly LiveCustomReward[]): Promise<void> {
  const trouble = { fault: 'notAffiliate', retryAtMs: Date.now() + hour } as const;
  for (const { ruleId, fault } of rewards)
    if (fault !== 'notAffiliate') await deferCustomReward(db, { ruleId, ...trouble }, clock.now());
}

/** Returns whether a custom reward is known to exist; records its state. */
async function isStillLive(
  deps: Deps,
  reward: LiveCustomReward,
  shown: TwitchReward | undefined,
): Promise<boolean> {
  const { ruleId, state, fault, wasMissed } = reward;
  if (!shown) return (await recordIfMissing(deps, reward)) === 'exists';
  if (wasMissed) await recordSeenCustomReward(deps.db, reward);
  if (shown.state !== state || fault === 'notAffiliate')
    await confirmCustomReward(deps.db, { ruleId, state: shown.state }, deps.clock.now());
  deps.seen(ruleId, shown);
  return true;
}

/**
 * First reads redemptions that have left the queue, because they may free rewards, and then the queue itself.
 * Redemptions fulfilled by hand while we were not listening, and those from events meanwhile, are merged in order.
 */
async function readQueue(
  { db, clock, points }: Deps,
  queues: UnreadQueues,
  { ruleId, channelId, twitchRewardId }: LiveCustomReward,
  signal: AbortSignal,
): Promise<void> {
  const markRead = queues.begin(channelId);
  const record = async (redemptions: readonly ReportedRedemption[]) => {
    for (const one of redemptions) {
      await recordRedemption(db, one, clock.now());
      queues.release(one);
    }
  };
  const waiting = await points.listUnfulfilled(channelId, twitchRewardId, signal);
  const listed = new Set(waiting.map(({ id }) => id));
  const absent = (await listOpenRedemptions(db.read, ruleId)).filter((id) => !listed.has(id));
  await record(await points.read(channelId, twitchRewardId, absent));
  const unknownFulfilled = queues.wasRead(twitchRewardId)
    ? []
    : await points.listUnknownFulfilled(
        channelId,
        twitchRewardId,
        (ids) => listKnownRedemptions(db.read, ids),
        signal,
      );
  for (const { id } of unknownFulfilled) listed.add(id);
  const unlisted = queues.listHeld(twitchRewardId).filter(({ id }) => !listed.has(id));
  await record(byRedeemedAt([...waiting, ...unknownFulfilled, ...unlisted]));
  for (let late = queues.listHeld(twitchRewardId); late.length > 0; late = queues.listHeld(twitchRewardId))
    await record(byRedeemedAt(late));
  markRead(twitchRewardId);
}
