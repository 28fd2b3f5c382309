import { and, asc, eq, exists, gt, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { channels } from '#db/schema/channel.ts';
import { rules } from '#db/schema/rule.ts';

/** Number of channels in one part of a sitemap. */
export const SITEMAP_SIZE = 1000;

const hasPage = ({ read }: Database) =>
  and(
    sql`not ${channels.hidden}`,
    exists(read.select({ one: sql`1` }).from(rules).where(eq(rules.channelId, channels.id))),
  );

/** Lists the logins of channels with a public page, by their Twitch id, starting after the given one. */
export async function listPublicLogins(db: Database, after: string): Promise<string[]> {
  const rows = await db.read
    .select({ login: channels.login })
    .from(channels)
    .where(and(gt(channels.id, after), hasPage(db)))
    .orderBy(asc(channels.id))
    .limit(SITEMAP_SIZE);
  return [...new Set(rows.map(({ login }) => login))];
}

/**
 * Lists the Twitch ids after which the parts of a sitemap begin; the first is empty. The statement reads
 * every row of a part to find its end, so callers cache the result for a while.
 */
export async function listLoginParts(db: Database): Promise<string[]> {
  const parts = [''];
  for (;;) {
    const [last] = await db.read
      .select({ id: channels.id })
      .from(channels)
      .where(and(gt(channels.id, parts.at(-1) ?? ''), hasPage(db)))
      .orderBy(asc(channels.id))
      .limit(1)
      .offset(SITEMAP_SIZE - 1);
    if (!last) return parts;
    parts.push(last.id);
  }
}
