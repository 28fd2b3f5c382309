import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { rewards } from '#db/schema/reward.ts';
import { accrueWatchTime } from '#domain/audience/accrue-watch-time.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { minute } from '#domain/kernel/time.ts';
import { recordStream } from '#domain/watch-time/record-stream.ts';
import { addBot, addPerson, addRule, addStreamer, START_MS } from '#tests/support/fixtures.ts';

export interface Claim {
  rewardId: string;
  userId: string;
}

const NOW_MS = START_MS + 2 * minute;
/** A bot that holds more splits a deposit of a hundred items. */
const ITEMS_PER_BOT = 500;

/** Promises rewards to this many viewers of one channel, a minute after `startMs`. */
export async function promiseMany(db: Database, amount: number, startMs = START_MS): Promise<Claim[]> {
  for (let items = 0; items < amount; items += ITEMS_PER_BOT) await addBot(db);
  const streamer = await addStreamer(db);
  const twitchIds: string[] = [];
  for (let viewer = 0; viewer < amount; viewer++) twitchIds.push((await addPerson(db)).twitchId);
  const ruleId = await addRule(db, streamer, { watchMinutes: 1, rewards: amount, nowMs: startMs });
  const stream = { streamId: 's1', startedAtMs: startMs, gameName: 'Demo game', title: 'Demo' };
  await recordStream(db, { channelId: streamer.twitchId, stream }, startMs);
  const reading = { channelId: streamer.twitchId, streamId: 's1', twitchIds: new Set(twitchIds) };
  await accrueWatchTime(db, reading, startMs + minute);
  const promised = await db.read
    .select({ rewardId: rewards.id, userId: rewards.userId })
    .from(rewards)
    .where(eq(rewards.ruleId, ruleId));
  return promised.map(({ rewardId, userId }) => ({ rewardId, userId: userId ?? '' }));
}

export async function claimAll(db: Database, claims: readonly Claim[]): Promise<void> {
  for (const claim of claims) {
    const outcome = await claimReward(db, claim, NOW_MS);
    if (!outcome.ok) throw new Error(`a claim was refused: ${outcome.code}`);
  }
}
