import { and, eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { redemptions } from '#db/schema/redemption.ts';
import type { RewardState } from '#db/schema/reward.ts';
import { statement } from '#db/statement.ts';
import { wishOfReward } from '#domain/redemption/redemption-machine.ts';

const setWish = statement('redemption_wish', (tx) =>
  tx
    .update(redemptions)
    .set({
      wish: sql`${sql.placeholder('wish')}` as never,
      refundReason: sql`${sql.placeholder('refundReason')}` as never,
      runAtMs: 0,
      attempts: 0,
    })
    .where(and(eq(redemptions.rewardId, sql.placeholder('rewardId')), is(redemptions.state, 'open')))
    .returning({ id: redemptions.id }),
);

/**
 * Notes, in the transaction that moves a reward, what Twitch is to be told of the points that were spent on it. A
 * redemption that has ended stays as it is.
 */
export async function wishEnd(tx: Tx, rewardId: string, rewardState: RewardState): Promise<void> {
  const wish = wishOfReward[rewardState];
  if (wish) await setWish(tx, { rewardId, wish, refundReason: wish === 'refund' ? 'recalled' : null });
}
