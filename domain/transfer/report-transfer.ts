import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { transfers } from '#db/schema/transfer.ts';
import { channelLock } from '#domain/reward/serve-waiting.ts';
import { advanceTransfer, type TransferChange } from '#domain/transfer/advance-transfer.ts';

/**
 * Applies one event from the bot in its own transaction. Returns false when it was already applied or comes too late.
 */
export async function reportTransfer(
  database: Database,
  transferId: string,
  change: TransferChange,
  nowMs: number,
): Promise<boolean> {
  const lock = await lockOfTransfer(database, transferId);
  return database.transaction((tx) => advanceTransfer(tx, transferId, change, nowMs), lock);
}

/** Returns the channel lock a claim needs, because an undelivered item may go to the next viewer. */
export async function lockOfTransfer(database: Database, transferId: string): Promise<{ lock?: string }> {
  const [claim] = await database.read
    .select({ channelId: rules.channelId })
    .from(transfers)
    .innerJoin(rewards, eq(rewards.id, transfers.rewardId))
    .innerJoin(rules, eq(rules.id, rewards.ruleId))
    .where(eq(transfers.id, transferId));
  return claim ? { lock: channelLock(claim.channelId) } : {};
}
