import type { Database } from '#db/database.ts';
import type { RewardState } from '#db/schema/reward.ts';
import { getOutageMs } from '#domain/bot/get-outage.ts';
import { hasTimedOut } from '#domain/reward/claim-window.ts';
import { hasAnyReward, listDelivered, listMyRewards } from '#domain/reward/list-my-rewards.ts';
import { day } from '#domain/time.ts';

/** Someone with more promises than this has to claim some of them first. */
const MAX_PROMISES = 100;
const LATELY = 10;
/** How long a delivered reward stays at the top. */
const FRESH_MS = day;

/** Reads a viewer's rewards, grouped by what can be done: claim, accept, or view. */
export async function readRewards(database: Database, { userId }: { userId: string }, nowMs: number) {
  const any = await hasAnyReward(database, { userId });
  const mine = async (states: readonly RewardState[], size: number) =>
    any ? (await listMyRewards(database, { userId, states, size })).rows : [];
  const [promised, awaiting, delivered, ended, outageMs] = await Promise.all([
    mine(['promised'], MAX_PROMISES),
    mine(['reserved'], MAX_PROMISES),
    any ? listDelivered(database, { userId, sinceMs: nowMs - FRESH_MS }) : [],
    mine(['claimed', 'recalled'], LATELY),
    getOutageMs(database.read, Date.now()),
  ]);
  // The current outage extends every claim window.
  const ready = promised
    .map((reward) => ({ ...reward, claimUntilMs: reward.claimUntilMs + outageMs }))
    .filter(({ claimUntilMs }) => !hasTimedOut(claimUntilMs, nowMs, outageMs));
  const fresh = new Set(delivered.map(({ id }) => id));
  return {
    outageMs,
    ready,
    awaiting,
    delivered,
    past: ended.filter(({ id }) => !fresh.has(id)),
  };
}
