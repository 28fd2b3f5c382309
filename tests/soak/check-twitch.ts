import { redemptions } from '#db/schema/redemption.ts';
import { type RewardState, rewards } from '#db/schema/reward.ts';
import type { RedemptionStatus, WorldState } from '#sandbox/twitch/world-state.ts';
import { watchedRows } from '#tests/support/watched.ts';
import type { Stage } from './stage.ts';

/** The longest interval that counts: each join or leave may be off by a whole one. */
const MAX_INTERVAL_SECONDS = 150;

/** The status that a redemption must have, by the state of its reward. */
const wanted: Record<RewardState | 'none', readonly RedemptionStatus[]> = {
  none: ['CANCELED'],
  free: [],
  promised: ['UNFULFILLED'],
  reserved: ['UNFULFILLED'],
  claimed: ['FULFILLED'],
  // Reversed after delivery: Twitch undoes nothing.
  recalled: ['CANCELED', 'FULFILLED'],
};

/** Points are kept exactly for delivered rewards, and refunded exactly for all others. */
export async function checkPoints(stage: Stage, twitch: WorldState): Promise<string[]> {
  const q = stage.db.read;
  const known = new Map((await q.select().from(redemptions)).map((row) => [row.id, row]));
  const promised = new Map((await q.select().from(rewards)).map((row) => [row.id, row]));
  const found: string[] = [];
  for (const { id, status } of twitch.redemptions) {
    const row = known.get(id);
    if (stage.settledByHand.has(id)) continue;
    if (!row) {
      found.push(`redemption ${id} is ${status} on Twitch and unknown here`);
      continue;
    }
    const reward = row.rewardId === null ? undefined : promised.get(row.rewardId);
    const standing = reward?.state ?? 'none';
    const wasDelivered = reward?.claimedAtMs != null;
    const right =
      wanted[standing].includes(status) &&
      (standing !== 'recalled' || wasDelivered === (status === 'FULFILLED'));
    const written = { UNFULFILLED: 'open', FULFILLED: 'fulfilled', CANCELED: 'refunded' }[status];
    if (!right || row.state !== written)
      found.push(
        `redemption ${id} is ${status} on Twitch and ${row.state} here (${row.refundReason}), its reward ${standing}`,
      );
  }
  return found;
}

/** Nobody is credited more than they watched. Less is normal, because nothing counts during outages. */
export async function checkWatchTime(stage: Stage): Promise<string[]> {
  const truth = stage.watchTruth.totals();
  const credited = await watchedRows(stage.db.read);
  const minutesIn = (rows: Iterable<{ seconds: number }>) =>
    Math.round([...rows].reduce((sum, { seconds }) => sum + seconds, 0) / 60);
  stage.tally.note('watch: minutes credited', minutesIn(credited));
  stage.tally.note('watch: minutes watched', minutesIn(truth.values()));
  return credited.flatMap(({ channelId, twitchId, seconds }) => {
    const { seconds: watched = 0, turns = 0 } = truth.get(`${channelId} ${twitchId}`) ?? {};
    const max = watched + turns * MAX_INTERVAL_SECONDS;
    return seconds > max
      ? [
          `${twitchId} is credited with ${seconds} s on ${channelId}, and watched ${watched} s (${turns} turns)`,
        ]
      : [];
  });
}
