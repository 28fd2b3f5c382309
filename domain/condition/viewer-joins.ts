import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { rules } from '#db/schema/rule.ts';

/** Joins a viewer's data on a channel; at most one row. */
export const onChannel = (
  source: { channelId: SQLWrapper; twitchId: SQLWrapper },
  channelId: SQLWrapper | string,
  twitchId: SQLWrapper,
): SQL => sql`${source.channelId} = ${channelId} and ${source.twitchId} = ${twitchId}`;

/** Joins a viewer's data under a rule; at most one row. */
export const onRule = (
  source: { ruleId: SQLWrapper; twitchId: SQLWrapper },
  twitchId: SQLWrapper | string,
): SQL => sql`${source.ruleId} = ${rules.id} and ${source.twitchId} = ${twitchId}`;
