import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { type qualifications, rules, type watchBaselines } from '#db/schema/rule.ts';

/** Joins what is known of a viewer on a channel: one row at most. */
export const onChannel = (
  source: { channelId: SQLWrapper; twitchId: SQLWrapper },
  channelId: SQLWrapper | string,
  twitchId: SQLWrapper,
): SQL => sql`${source.channelId} = ${channelId} and ${source.twitchId} = ${twitchId}`;

/** Joins what is known of a viewer under a rule: one row at most. */
export const onRule = (
  source: typeof watchBaselines | typeof qualifications,
  twitchId: SQLWrapper | string,
): SQL => sql`${source.ruleId} = ${rules.id} and ${source.twitchId} = ${twitchId}`;
