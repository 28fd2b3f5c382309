import { and, eq, isNotNull } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { customRewards, redemptions } from '#db/schema/redemption.ts';

/** How many redemptions of a channel are decided, and Twitch has yet to be told. */
export async function countUnreported(q: Reader, { channelId }: { channelId: string }): Promise<number> {
  const untold = await q
    .select({ id: redemptions.id })
    .from(redemptions)
    .innerJoin(customRewards, eq(customRewards.ruleId, redemptions.ruleId))
    .where(
      and(
        eq(customRewards.channelId, channelId),
        is(redemptions.state, 'open'),
        isNotNull(redemptions.settlement),
      ),
    );
  return untold.length;
}
