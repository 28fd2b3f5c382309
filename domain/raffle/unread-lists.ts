import { eq } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { channels } from '#db/schema/channel.ts';
import { rules } from '#db/schema/rule.ts';
import { asksFor } from '#domain/condition/condition.ts';
import { conditionColumns, listedConditions, listReadAtMs } from '#domain/condition/conditions.ts';
import { day } from '#domain/kernel/time.ts';

/** A list that is kept up is read at least every day. */
const MAX_AGE_MS = 2 * day;

/**
 * Returns whether a raffle asks for a list of Twitch's that was not read for it yet: whoever is on it could not enter.
 * An old list may lack the newest followers.
 */
export async function hasUnreadList(
  q: Reader,
  { ruleId, createdAtMs }: { ruleId: string; createdAtMs: number },
): Promise<boolean> {
  const [row] = await q
    .select({ asked: conditionColumns, readAtMs: listReadAtMs })
    .from(rules)
    .innerJoin(channels, eq(channels.id, rules.channelId))
    .where(eq(rules.id, ruleId));
  if (!row) return false;
  const neededSinceMs = createdAtMs - MAX_AGE_MS;
  const needed = listedConditions.filter((each) => asksFor(row.asked, each));
  return needed.some(({ key }) => (row.readAtMs[key] ?? Number.NEGATIVE_INFINITY) < neededSinceMs);
}
