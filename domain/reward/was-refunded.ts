import { and, eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { redemptions } from '#db/schema/redemption.ts';
import { statement } from '#db/statement.ts';

const readRefunded = statement('redemption_refunded', (tx) =>
  tx
    .select({ id: redemptions.id })
    .from(redemptions)
    .where(and(eq(redemptions.rewardId, sql.placeholder('rewardId')), is(redemptions.state, 'refunded'))),
);

/** Returns whether the points spent on this reward were refunded. */
export const wasRefunded = async (tx: Tx, rewardId: string): Promise<boolean> =>
  (await readRefunded(tx, { rewardId })).length > 0;
