import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import { items } from '#db/schema/item.ts';
import { liveRewardStates, rewards } from '#db/schema/reward.ts';
import { transferItems } from '#db/schema/transfer.ts';
import { type CustodyChange, rehearsable } from '#domain/custody/rehearse.ts';
import { recordPoolItem } from '#domain/draw/pool-changes.ts';
import { advanceItem } from '#domain/item/advance-item.ts';
import { lockChannels } from '#domain/kernel/locks.ts';
import { done, type Outcome, Refused, refusable, refuse } from '#domain/kernel/outcome.ts';
import { announce } from '#domain/outbox/announce.ts';
import { advanceReward } from '#domain/reward/advance-reward.ts';
import { notifyOfLoss } from '#domain/reward/end-with-deposit.ts';

export type ReleaseRefusal = 'itemNotFound' | 'itemNotMissing' | 'inOffer';

/**
 * Writes off a missing item by the operator's decision: it leaves custody, a free reward bound to it leaves
 * its rule, and a promise of it ends with a mail to its viewer, which says that they were not late. Refused
 * while the item is in an open offer.
 */
export async function releaseItem(
  db: Database,
  { itemId, isRehearsal = false }: { itemId: string; isRehearsal?: boolean },
  nowMs: number,
): Promise<Outcome<{ changes: CustodyChange[] }, ReleaseRefusal>> {
  type Answer = Outcome<{ changes: CustodyChange[] }, ReleaseRefusal>;
  return refusable<Answer, ReleaseRefusal>(() =>
    rehearsable<Answer>(isRehearsal, (finish) =>
      db.transaction(async (tx) => {
        const [item] = await tx.select().from(items).where(eq(items.id, itemId));
        if (!item) return refuse('itemNotFound');
        if (item.state !== 'missing') return refuse('itemNotMissing');
        const [offer] = await tx
          .select({ id: transferItems.transferId })
          .from(transferItems)
          .where(and(eq(transferItems.itemId, itemId), eq(transferItems.open, true)))
          .limit(1);
        if (offer) return refuse('inOffer');
        const changes: CustodyChange[] = [];
        const bound = and(eq(rewards.itemId, itemId), within(rewards.state, liveRewardStates));
        const [reward] = await tx
          .select({ id: rewards.id, state: rewards.state, channelId: rewards.channelId })
          .from(rewards)
          .where(bound);
        if (reward) {
          const channelTx = await lockChannels(tx, reward.channelId ? [reward.channelId] : []);
          const isFree = reward.state === 'free';
          const [event, recallReason] = isFree
            ? (['detached', 'detached'] as const)
            : (['revoked', 'itemLost'] as const);
          const ended = await advanceReward(channelTx, reward.id, event, { recallReason }, nowMs);
          if (!ended) return refuse('inOffer');
          if (isFree) await recordPoolItem(channelTx, { ...ended, cause: 'lost' }, nowMs);
          else await notifyOfLoss(channelTx, reward.id, 'itemLost', nowMs);
          changes.push({ subject: 'reward', id: reward.id, from: reward.state, to: 'recalled' });
        }
        if (!(await advanceItem(tx, itemId, { event: 'released', cause: 'operator' }, nowMs)))
          throw new Refused<ReleaseRefusal>('itemNotMissing');
        changes.push({ subject: 'item', id: itemId, from: 'missing', to: 'gone' });
        await announce(tx, [{ userId: item.ownerId, kind: 'items.changed', subjectId: itemId }], nowMs);
        return finish(done({ changes }));
      }),
    ),
  );
}
