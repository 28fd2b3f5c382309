import type { BotDeps } from '#bot/deps.ts';
import { type TwitchFault, twitchFaultOf } from '#bot/twitch/twitch-fault.ts';
import type { NextDue } from '#bot/worker.ts';
import { deferRedemptions } from '#domain/redemption/defer-redemptions.ts';
import { type LeasedRedemption, leaseRedemptions } from '#domain/redemption/lease-redemptions.ts';
import { nextRedemptionDueMs } from '#domain/redemption/next-redemption-due.ts';
import { recordMissingRedemption } from '#domain/redemption/record-missing-redemption.ts';
import { type ReportedRedemption, recordRedemption } from '#domain/redemption/record-redemption.ts';
import { statusOfSettlement } from '#domain/redemption/redemption-machine.ts';
import { type ChannelPointsApi, isMissing, MAX_REDEMPTIONS } from './channel-points-api.ts';
import { recordIfMissing } from './custom-reward-steps.ts';

const MAX_AT_ONCE = 500;

type Deps = Pick<BotDeps, 'db' | 'clock' | 'log'> & {
  points: ChannelPointsApi;
  onFault(channelId: string, fault: TwitchFault): Promise<void>;
  retryAfterMs: number;
};

/** Redemptions of one custom reward with the same settlement, which Twitch accepts in one call. */
type Batch = [LeasedRedemption, ...LeasedRedemption[]];

/**
 * Fulfils or refunds redemptions on Twitch. Only Twitch's answer is recorded or, after a lost answer, the status read
 * again; sending a request settles nothing.
 */
export function settleRedemptions(deps: Deps) {
  const { db, log, points, onFault, retryAfterMs } = deps;

  const settleBatch = async (batch: Batch): Promise<void> => {
    const [{ channelId, twitchRewardId, settlement }] = batch;
    const isUncertain = batch.some(({ attempts }) => attempts > 1);
    const open = isUncertain ? await recheck(deps, batch) : batch;
    if (open.length === 0) return;
    const ids = open.map(({ id }) => id);
    await record(deps, await points.settle(channelId, twitchRewardId, ids, statusOfSettlement[settlement]));
  };

  const attempt = async (batch: Batch): Promise<void> => {
    const [first] = batch;
    try {
      await settleBatch(batch);
    } catch (error) {
      const fault = twitchFaultOf(error);
      // One of the redemptions has left the queue, by hand or through a lost answer, or the custom reward was
      // deleted.
      const deleted = isMissing(error) && (await recordIfMissing(deps, first).catch(() => false));
      log.warn(
        { channelId: first.channelId, code: fault.code, deleted, err: fault },
        'could not settle redemptions',
      );
      await onFault(first.channelId, fault);
    }
    // This has no effect on redemptions that have ended.
    await deferRedemptions(db, batch, Date.now(), { firstPauseMs: retryAfterMs });
  };

  return {
    async round(signal: AbortSignal): Promise<NextDue> {
      while (!signal.aborted) {
        const leased = await leaseRedemptions(db, MAX_AT_ONCE, Date.now());
        if (leased.length === 0) return nextRedemptionDueMs(db.read, Date.now());
        for (const batch of batchesOf(leased)) {
          if (signal.aborted)
            return deferRedemptions(db, leased, Date.now(), { firstPauseMs: 0 }).then(() => null);
          await attempt(batch);
        }
      }
      return null;
    },
  };
}

async function record({ db, clock }: Deps, reported: readonly ReportedRedemption[]): Promise<void> {
  for (const one of reported) await recordRedemption(db, one, clock.now());
}

/** Reads the status of uncertain redemptions and returns those still in the queue. */
async function recheck(deps: Deps, batch: Batch): Promise<LeasedRedemption[]> {
  const { db, clock, log, points } = deps;
  const [{ channelId, twitchRewardId }] = batch;
  const ids = batch.map(({ id }) => id);
  const reported = await points.read(channelId, twitchRewardId, ids);
  await record(deps, reported);
  const known = new Map(reported.map(({ id, status }) => [id, status]));
  for (const leased of batch)
    if (!known.has(leased.id) && (await recordMissingRedemption(db, leased, clock.now())))
      log.warn(
        { redemption: leased.id, settlement: leased.settlement },
        'Twitch no longer knows a redemption; it counts as ended',
      );
  return batch.filter(({ id }) => known.get(id) === 'UNFULFILLED');
}

function batchesOf(leased: readonly LeasedRedemption[]): Batch[] {
  const groups = new Map<string, Batch>();
  const batches: Batch[] = [];
  for (const one of leased) {
    // Uncertain ones get batches of their own, so that they do not hold up fresh ones.
    const key = [one.channelId, one.twitchRewardId, one.settlement, one.attempts > 1].join(' ');
    const group = groups.get(key);
    if (group && group.length < MAX_REDEMPTIONS) group.push(one);
    else {
      const started: Batch = [one];
      groups.set(key, started);
      batches.push(started);
    }
  }
  return batches;
}
