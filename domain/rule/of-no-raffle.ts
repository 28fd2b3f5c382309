import { eq, notExists, type SQL, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { raffles } from '#db/schema/raffle.ts';
import { rules } from '#db/schema/rule.ts';

/** Leaves out the rules that hold the items of raffles, which have pages of their own, in a query over rules. */
export const ofNoRaffle = (q: Reader): SQL =>
  notExists(q.select({ one: sql`1` }).from(raffles).where(eq(raffles.ruleId, rules.id)));
