import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';

// A rule that became harder is closed, and another one takes its place. Both are one line: nobody is promised more
// than one reward of it. The words are those of the indexes of `rewards`.

/** SQL for the line of a reward's rule. */
export const lineOf = ({ lineId, ruleId }: { lineId: SQLWrapper; ruleId: SQLWrapper }): SQL<string> =>
  sql`case when ${lineId} is null then ${ruleId} else ${lineId} end`;

/** SQL for the line of a rule. */
export const lineOfRule = ({ lineId, id }: { lineId: SQLWrapper; id: SQLWrapper }): SQL<string> =>
  sql`coalesce(${lineId}, ${id})`;
