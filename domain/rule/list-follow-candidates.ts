import { and, asc, eq, gt, isNull } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { bigint } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { follows } from '#db/schema/channel.ts';
import { rules } from '#db/schema/rule.ts';
import { asksInSql } from '#domain/rule/conditions/condition.ts';
import { followTime } from '#domain/rule/conditions/follow-time.ts';
import { newlyQualified } from '#domain/rule/qualify.ts';

/**
 * Registered viewers who are not known to follow a channel, and meet all else that one of its open rules asks for:
 * Twitch can be asked about each of them, which is less than reading a long list. In the order of their Twitch ids,
 * after `after`.
 */
export async function listFollowCandidates(
  q: Reader,
  { channelId, after, limit }: { channelId: string; after: string; limit: number },
  nowMs: number,
): Promise<string[]> {
  const scope = {
    rules: and(eq(rules.channelId, channelId), asksInSql(followTime)),
    among: and(isNull(follows.twitchId), gt(twitchAccounts.twitchId, after)),
  };
  const rows = await newlyQualified(q, scope, bigint(nowMs), 'follow')
    .orderBy(asc(twitchAccounts.twitchId))
    .limit(limit);
  return [...new Set(rows.map(({ twitchId }) => twitchId))];
}
