import { and, eq, isNotNull } from 'drizzle-orm';
import { type Database, holdLock, type Tx } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import { liveRewardStates, rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { transferItems, transfers } from '#db/schema/transfer.ts';
import { type ChannelTx, channelLock, itemsLock, lockChannels } from '#domain/kernel/locks.ts';

declare const withoutReward: unique symbol;
/**
 * A transaction in which anything may happen to a transfer. For a claim it holds its channel's lock, because
 * an undelivered item may go to the next viewer. For a deposit whose items are on rules it holds the locks of
 * their channels. Other transfers have no reward and need no lock.
 */
export type TransferTx = ChannelTx | (Tx & { readonly [withoutReward]: true });

/** Runs `decide` in a transaction that holds the locks this transfer needs. */
export async function transferTransaction<T>(
  db: Database,
  transferId: string,
  decide: (tx: TransferTx) => Promise<T>,
): Promise<T> {
  const [transfer] = await db.read
    .select({
      kind: transfers.kind,
      state: transfers.state,
      userId: transfers.userId,
      channelId: rules.channelId,
    })
    .from(transfers)
    .leftJoin(rewards, eq(rewards.id, transfers.rewardId))
    .leftJoin(rules, eq(rules.id, rewards.ruleId))
    .where(eq(transfers.id, transferId));
  if (transfer?.channelId) return db.transaction(decide, { lock: channelLock(transfer.channelId) });
  const mayBeOnRules = transfer?.kind === 'deposit' && transfer.state === 'accepted';
  if (!mayBeOnRules) return db.transaction((tx) => decide(tx as TransferTx));
  const channelIds = await channelsOfItems(db, transferId);
  return db.transaction(async (tx) => {
    const held = await lockChannels(tx, channelIds);
    return decide(await holdLock(held, itemsLock(transfer.userId)));
  });
}

/** Finds the channels on whose rules a deposit's items are. */
async function channelsOfItems({ read }: Database, transferId: string): Promise<string[]> {
  const rows = await read
    .selectDistinct({ channelId: rules.channelId })
    .from(transferItems)
    .innerJoin(
      rewards,
      and(eq(rewards.itemId, transferItems.itemId), within(rewards.state, liveRewardStates)),
    )
    .innerJoin(rules, eq(rules.id, rewards.ruleId))
    .where(and(eq(transferItems.transferId, transferId), isNotNull(transferItems.itemId)));
  return rows.map(({ channelId }) => channelId);
}

/**
 * The transaction of a transfer whose items are on a rule. `requireChannel` compares the channel where the
 * reward moves.
 */
export const claimTx = (tx: TransferTx): ChannelTx => tx as ChannelTx;
