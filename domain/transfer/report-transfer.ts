import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { transfers } from '#db/schema/transfer.ts';
import { channelLock } from '#domain/reward/serve-waiting.ts';
import { advanceTransfer, type TransferChange } from '#domain/transfer/advance-transfer.ts';

/** What the bot tells of one transfer, in its own transaction. False when it was told before or comes too late. */
export async function reportTransfer(
  database: Database,
  transferId: string,
  news: TransferChange,
  nowMs: number,
): Promise<boolean> {
  const lock = await lockOfTransfer(database, transferId);
  return database.transaction((tx) => advanceTransfer(tx, transferId, news, nowMs), lock);
}

/** An undelivered claim may pass its item on to the next viewer, which is decided under the channel's lock. */
export async function lockOfTransfer(database: Database, transferId: string): Promise<{ lock?: string }> {
  const [claim] = await database.read
    .select({ channelId: rules.channelId })
    .from(transfers)
    .innerJoin(rewards, eq(rewards.id, transfers.rewardId))
    .innerJoin(rules, eq(rules.id, rewards.ruleId))
    .where(eq(transfers.id, transferId));
  return claim ? { lock: channelLock(claim.channelId) } : {};
}
