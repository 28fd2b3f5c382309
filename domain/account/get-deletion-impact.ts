import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import { apiTokens } from '#db/schema/access.ts';
import { inCustody, items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { liveRuleStates, rules } from '#db/schema/rule.ts';
import { liveTransferStates, transfers } from '#db/schema/transfer.ts';
import { listLiveSubscriptions } from '#domain/subscription/find-subscription.ts';

/** The effects of deleting an account: the first two counts prevent it, the others end with it. */
export interface DeletionImpact {
  openTransfers: number;
  heldItems: number;
  rules: number;
  promises: number;
  tokens: number;
  /** They are cancelled at once. */
  subscriptions: number;
}

/** Counts what deleting the account would affect. */
export async function getDeletionImpact(
  db: Database,
  { userId }: { userId: string },
): Promise<DeletionImpact> {
  const { read } = db;
  const [openTransfers, heldItems, ownRules, promises, tokens, paid] = await Promise.all([
    read.$count(transfers, and(eq(transfers.userId, userId), within(transfers.state, liveTransferStates))),
    read.$count(items, and(eq(items.ownerId, userId), within(items.state, inCustody))),
    read.$count(rules, and(eq(rules.ownerId, userId), within(rules.state, liveRuleStates))),
    read.$count(rewards, and(eq(rewards.userId, userId), is(rewards.state, 'promised'))),
    read.$count(apiTokens, eq(apiTokens.userId, userId)),
    listLiveSubscriptions(read, userId),
  ]);
  return { openTransfers, heldItems, rules: ownRules, promises, tokens, subscriptions: paid.length };
}
