import { eq, max } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { alias } from '#db/dialect.ts';
import { rewards } from '#db/schema/reward.ts';
import { transfers } from '#db/schema/transfer.ts';

const claims = alias(transfers, 'claims');

/** Selects the latest claim of a reward: no claim is queued before the last one has ended. */
export const latestClaim = (q: Reader) =>
  q
    .select({ id: max(claims.id) })
    .from(claims)
    .where(eq(claims.rewardId, rewards.id));
