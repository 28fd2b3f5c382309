import { sql } from 'drizzle-orm';
import { bigint } from '#db/dialect.ts';
import { rules, watchBaselines } from '#db/schema/rule.ts';
import { watched } from '#domain/watch-time/watched.ts';

/** SQL for the seconds of watch time that a rule asks for. */
export const neededSeconds = sql`${rules.watchMinutes} * ${bigint(60)}`;

/** SQL for the seconds that do not count for a rule, in a query that joins a viewer's baseline. */
const uncountedSeconds = sql`case when ${rules.watchScope} = 'sinceRule' then coalesce(${watchBaselines.seconds}, 0) else 0 end`;

/** SQL for the total at which a viewer has watched enough for a rule, in such a query. */
export const neededTotal = sql`${neededSeconds} + ${uncountedSeconds}`;

/**
 * SQL for the seconds that count for a rule, in a query that joins a viewer's watch time and baseline; never
 * negative.
 */
export const countedSeconds = sql<number>`coalesce(${watched}, 0) - ${uncountedSeconds}`;
