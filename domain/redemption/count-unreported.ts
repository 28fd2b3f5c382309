import { and, eq, isNotNull } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { customRewards, redemptions } from '#db/schema/redemption.ts';

/** Counts a channel's redemptions whose settlement has not been confirmed by Twitch. */
export async function countUnreported(q: Reader, { channelId }: { channelId: string }): Promise<number> {
  const unreported = await q
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
  return unreported.length;
}
