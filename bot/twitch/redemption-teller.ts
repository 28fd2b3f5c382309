import type { BotDeps } from '#bot/deps.ts';
import { type ChannelPointsApi, isGone, MOST_REDEMPTIONS } from '#bot/twitch/channel-points-api.ts';
import { loseIfGone } from '#bot/twitch/custom-reward-steps.ts';
import { type TwitchFault, twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import { deferRedemptions } from '#domain/redemption/defer-redemptions.ts';
import { type LeasedRedemption, leaseRedemptions } from '#domain/redemption/lease-redemptions.ts';
import { recordRedemption, type ToldRedemption } from '#domain/redemption/record-redemption.ts';
import { statusOfWish } from '#domain/redemption/redemption-machine.ts';

const MOST_AT_ONCE = 500;
/**
 * Twitch forgets redemptions some days after their end. One that it does not know in so many attempts, hours apart in
 * the end, had the end that we wished for: nobody tells us any other.
 */
const MOST_LOOKS = 12;

type Deps = Pick<BotDeps, 'database' | 'clock' | 'log'> & {
  points: ChannelPointsApi;
  onFault(channelId: string, fault: TwitchFault): Promise<void>;
  retryAfterMs: number;
};

/** Redemptions of one custom reward with one wish, as Twitch takes them in one call. */
type Batch = [LeasedRedemption, ...LeasedRedemption[]];

/**
 * Tells Twitch which redemptions to fulfil and which to give back. Nothing ends by being told: only what Twitch answers,
 * or shows when it is asked again after a lost answer, is written down.
 */
export function tellRedemptions(deps: Deps) {
  const { database, log, points, onFault, retryAfterMs } = deps;

  const tell = async (batch: Batch): Promise<void> => {
    const [{ channelId, twitchRewardId, wish }] = batch;
    const isDoubtful = batch.some(({ attempts }) => attempts > 1);
    const open = isDoubtful ? await lookAgain(deps, batch) : batch;
    if (open.length === 0) return;
    const ids = open.map(({ id }) => id);
    await record(deps, await points.settle(channelId, twitchRewardId, ids, statusOfWish[wish]));
  };

  const attempt = async (batch: Batch): Promise<void> => {
    const [first] = batch;
    try {
      await tell(batch);
    } catch (error) {
      const fault = twitchFaultOf(error);
      // One of them has left the queue, by hand or by an answer that was lost; or all of them with their custom reward.
      const gone = isGone(error) && (await loseIfGone(deps, first).catch(() => false));
      log.warn(
        { channelId: first.channelId, code: fault.code, gone, err: fault },
        'redemptions were not settled',
      );
      await onFault(first.channelId, fault);
    }
    // What has ended is left alone.
    await deferRedemptions(database, batch, Date.now(), { firstPauseMs: retryAfterMs });
  };

  return {
    async round(signal: AbortSignal): Promise<void> {
      while (!signal.aborted) {
        const leased = await leaseRedemptions(database, MOST_AT_ONCE, Date.now());
        if (leased.length === 0) return;
        for (const batch of batchesOf(leased)) {
          if (signal.aborted)
            return void (await deferRedemptions(database, leased, Date.now(), { firstPauseMs: 0 }));
          await attempt(batch);
        }
      }
    },
  };
}

async function record({ database, clock }: Deps, told: readonly ToldRedemption[]): Promise<void> {
  for (const one of told) await recordRedemption(database, one, clock.now());
}

/** Asks how doubtful ones stand and returns those that are still in the queue. */
async function lookAgain(deps: Deps, batch: Batch): Promise<LeasedRedemption[]> {
  const [{ channelId, twitchRewardId }] = batch;
  const ids = batch.map(({ id }) => id);
  const told = await deps.points.read(channelId, twitchRewardId, ids);
  await record(deps, told);
  for (const leased of batch)
    if (leased.attempts > MOST_LOOKS && !told.some(({ id }) => id === leased.id))
      await believeEnded(deps, leased);
  const open = new Set(told.filter(({ status }) => status === 'UNFULFILLED').map(({ id }) => id));
  return batch.filter(({ id }) => open.has(id));
}

async function believeEnded(deps: Deps, { id, twitchRewardId, wish }: LeasedRedemption): Promise<void> {
  deps.log.warn({ redemption: id, wish }, 'Twitch does not know a redemption any more; it counts as ended');
  // Known by its id, so that nothing else of it matters.
  const status = statusOfWish[wish];
  await record(deps, [{ id, twitchRewardId, twitchId: '', redeemedAtMs: 0, status }]);
}

function batchesOf(leased: readonly LeasedRedemption[]): Batch[] {
  const groups = new Map<string, Batch>();
  const batches: Batch[] = [];
  for (const one of leased) {
    // Doubtful ones are looked at first: they hold up no fresh ones.
    const key = [one.channelId, one.twitchRewardId, one.wish, one.attempts > 1].join(' ');
    const group = groups.get(key);
    if (group && group.length < MOST_REDEMPTIONS) group.push(one);
    else {
      const started: Batch = [one];
      groups.set(key, started);
      batches.push(started);
    }
  }
  return batches;
}
