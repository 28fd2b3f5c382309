import type { Database } from '#db/database.ts';
import type { RewardState } from '#db/schema/reward.ts';
import { getOutageMs } from '#domain/bot/get-outage.ts';
import { listHidden } from '#domain/channel/list-hidden.ts';
import { day } from '#domain/kernel/time.ts';
import { hasTimedOut, lostToFreeze, lostToOutage } from '#domain/reward/claim-window.ts';
import { hasAnyReward, listDelivered, listMyRewards } from '#domain/view/list-my-rewards.ts';

/** Someone with more promises than this has to claim some of them first. */
const MAX_PROMISES = 100;
const LATELY = 10;
/** A delivered reward stays at the top for this long. */
const FRESH_MS = day;

/** Reads a viewer's rewards, grouped by the next action: claim, accept, or view. */
export async function readRewards(db: Database, { userId }: { userId: string }, nowMs: number) {
  const any = await hasAnyReward(db, { userId });
  const mine = async (states: readonly RewardState[], size: number) =>
    any ? (await listMyRewards(db, { userId, states, size })).rows : [];
  const [promised, awaiting, delivered, ended, outageMs] = await Promise.all([
    mine(['promised'], MAX_PROMISES),
    mine(['reserved'], MAX_PROMISES),
    any ? listDelivered(db, { userId, sinceMs: nowMs - FRESH_MS }) : [],
    mine(['claimed', 'recalled'], LATELY),
    getOutageMs(db.read, Date.now()),
  ]);
  // The current outage extends every claim window, and a freeze those of its rule.
  const ready = promised
    .map((reward) => ({
      ...reward,
      claimUntilMs:
        reward.claimUntilMs +
        lostToOutage(outageMs, reward.promisedAtMs, nowMs) +
        lostToFreeze(reward, nowMs),
    }))
    .filter(
      ({ claimUntilMs, frozenAtMs }) => frozenAtMs !== null || !hasTimedOut(claimUntilMs, nowMs, outageMs),
    );
  const fresh = new Set(delivered.map(({ id }) => id));
  const hidden = await listHidden(
    db,
    delivered.map(({ channel }) => channel.id),
  );
  return {
    outageMs,
    ready,
    awaiting,
    delivered: delivered.map((reward) => ({
      ...reward,
      /** True if others may see its page: the channel is not hidden. */
      isShareable: !hidden.has(reward.channel.id),
    })),
    past: ended.filter(({ id }) => !fresh.has(id)),
  };
}

export type DeliveredReward = Awaited<ReturnType<typeof readRewards>>['delivered'][number];
