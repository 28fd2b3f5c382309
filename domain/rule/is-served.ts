import { type AnyColumn, and, eq, notExists, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { alias } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { lineOf, lineOfRule } from '#domain/draw/rule-line.ts';

const awaited = alias(rules, 'awaited');

/**
 * True for waiting viewers who are not passed over: those are who was promised a reward of the rule, or of one whose
 * place it took, while another Twitch account was connected.
 */
export const isServed = (q: Reader, waiting: { ruleId: AnyColumn; twitchId: AnyColumn }) =>
  notExists(
    q
      .select({ one: sql`1` })
      .from(twitchAccounts)
      .innerJoin(awaited, eq(awaited.id, waiting.ruleId))
      .innerJoin(
        rewards,
        and(eq(lineOf(rewards), lineOfRule(awaited)), eq(rewards.userId, twitchAccounts.userId)),
      )
      .where(eq(twitchAccounts.twitchId, waiting.twitchId)),
  );
