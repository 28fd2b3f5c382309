import { and, eq, isNotNull, notExists, type SQL, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { transfers } from '#db/schema/transfer.ts';
import { users } from '#db/schema/user.ts';

/** The claim's rule, if it is frozen. */
export const frozenRule = (q: Reader) =>
  q
    .select({ one: sql`1` })
    .from(rewards)
    .innerJoin(rules, and(eq(rules.id, rewards.ruleId), isNotNull(rules.frozenAtMs)))
    .where(and(eq(rewards.id, transfers.rewardId), is(transfers.kind, 'claim')));

/** The account whose items a return gives back, if it is frozen. */
export const frozenOwner = (q: Reader) =>
  q
    .select({ one: sql`1` })
    .from(users)
    .where(and(eq(users.id, transfers.userId), isNotNull(users.frozenAtMs), is(transfers.kind, 'return')));

/** Leaves out claims of frozen rules and returns of frozen accounts, in a query over transfers. */
export const notFrozen = (q: Reader): SQL | undefined =>
  and(notExists(frozenRule(q)), notExists(frozenOwner(q)));
