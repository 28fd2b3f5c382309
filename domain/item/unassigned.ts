import { and, eq, notExists, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import { items } from '#db/schema/item.ts';
import { liveRewardStates, rewards } from '#db/schema/reward.ts';

/** Matches items on no rule: no live reward refers to them. */
export const unassigned = (q: Reader) =>
  notExists(
    q
      .select({ one: sql`1` })
      .from(rewards)
      .where(and(eq(rewards.itemId, items.id), within(rewards.state, liveRewardStates))),
  );
