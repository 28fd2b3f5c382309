import { and, eq, notExists, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import { items } from '#db/schema/item.ts';
import { liveRewardStates, rewards } from '#db/schema/reward.ts';

/** The condition that an item is on no rule: no live reward binds it. */
export const unassigned = (q: Reader) =>
  notExists(
    q
      .select({ one: sql`1` })
      .from(rewards)
      .where(and(eq(rewards.itemId, items.id), within(rewards.state, liveRewardStates))),
  );
