import { eq } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { transfers } from '#db/schema/transfer.ts';
import { type ChannelTx, channelLock } from '#domain/locks.ts';

declare const withoutReward: unique symbol;
/**
 * A transaction in which anything may happen to a transfer: that of a claim holds its channel's lock, because an
 * undelivered item may go to the next viewer; deposits and returns have no reward and need none.
 */
export type TransferTx = ChannelTx | (Tx & { readonly [withoutReward]: true });

/** Runs `decide` in a transaction that holds the lock this transfer needs. */
export async function transferTransaction<T>(
  database: Database,
  transferId: string,
  decide: (tx: TransferTx) => Promise<T>,
): Promise<T> {
  const [claim] = await database.read
    .select({ channelId: rules.channelId })
    .from(transfers)
    .innerJoin(rewards, eq(rewards.id, transfers.rewardId))
    .innerJoin(rules, eq(rules.id, rewards.ruleId))
    .where(eq(transfers.id, transferId));
  if (claim) return database.transaction(decide, { lock: channelLock(claim.channelId) });
  return database.transaction((tx) => decide(tx as TransferTx));
}

/** The transaction of a transfer that has a reward. Its channel is compared where the reward moves. */
export const claimTx = (tx: TransferTx): ChannelTx => tx as ChannelTx;
