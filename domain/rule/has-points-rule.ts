import { and, eq, isNotNull } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import { liveRuleStates, rules } from '#db/schema/rule.ts';

/** Whether a rule that asks for channel points is open or paused on a channel. */
export const hasPointsRule = async (q: Reader, channelId: string): Promise<boolean> =>
  (await q.$count(
    rules,
    and(eq(rules.channelId, channelId), within(rules.state, liveRuleStates), isNotNull(rules.pointsCost)),
  )) > 0;
