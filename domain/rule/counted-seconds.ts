import { sql } from 'drizzle-orm';
import { watchTimes } from '#db/schema/channel.ts';
import { rules, watchBaselines } from '#db/schema/rule.ts';

/**
 * SQL for the seconds that count for a rule, in a query that joins a viewer's watch time and baseline; never
 * negative.
 */
export const countedSeconds = sql<number>`coalesce(${watchTimes.seconds}, 0) - case when ${rules.watchScope} = 'sinceRule' then coalesce(${watchBaselines.seconds}, 0) else 0 end`;
