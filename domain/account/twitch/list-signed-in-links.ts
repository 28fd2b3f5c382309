import { and, asc, eq, exists, gt, isNull, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { sessions } from '#db/schema/user.ts';

/**
 * Lists the Twitch ids of linked accounts whose owner is signed in somewhere and whose grant is not known to
 * be dead, page by page in a fixed order; `after` is the last one read.
 */
export async function listSignedInLinks(
  q: Reader,
  { after, limit }: { after: string; limit: number },
  nowMs: number,
): Promise<string[]> {
  const session = q
    .select({ one: sql`1` })
    .from(sessions)
    .where(and(eq(sessions.userId, twitchAccounts.userId), gt(sessions.expiresAtMs, nowMs)));
  const rows = await q
    .select({ twitchId: twitchAccounts.twitchId })
    .from(twitchAccounts)
    .where(
      and(
        gt(twitchAccounts.twitchId, after),
        is(twitchAccounts.state, 'connected'),
        isNull(twitchAccounts.missingSinceMs),
        exists(session),
      ),
    )
    .orderBy(asc(twitchAccounts.twitchId))
    .limit(limit);
  return rows.map(({ twitchId }) => twitchId);
}
