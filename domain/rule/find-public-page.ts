import { and, eq, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { channels } from '#db/schema/channel.ts';
import { rules } from '#db/schema/rule.ts';

/** The address of a rule for viewers. */
export interface RulePage {
  /** The login of the channel with the page; null if that channel is hidden. */
  login: string | null;
  /** Time at which it was last announced in chat; null if never. */
  announcedAtMs: number | null;
}

/** Finds where viewers see one of the streamer's own rules while it is open; null if it is not theirs. */
export async function findPublicPage(
  q: Reader,
  { ruleId, ownerId }: { ruleId: string; ownerId: string },
): Promise<RulePage | null> {
  const [page] = await q
    .select({
      login: sql<string | null>`case when not ${channels.hidden} then ${channels.login} end`,
      announcedAtMs: rules.announcedAtMs,
    })
    .from(rules)
    .innerJoin(channels, eq(channels.id, rules.channelId))
    .where(and(eq(rules.id, ruleId), eq(rules.ownerId, ownerId)));
  return page ?? null;
}
