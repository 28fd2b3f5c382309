import { and, eq, exists, gt, inArray, isNull, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { sessions } from '#db/schema/user.ts';

/** Lists those of these linked accounts whose owner is signed in somewhere and whose grant is not known to be dead. */
export async function listSignedInLinks(
  q: Reader,
  twitchIds: readonly string[],
  nowMs: number,
): Promise<string[]> {
  if (twitchIds.length === 0) return [];
  const session = q
    .select({ one: sql`1` })
    .from(sessions)
    .where(and(eq(sessions.userId, twitchAccounts.userId), gt(sessions.expiresAtMs, nowMs)));
  const rows = await q
    .select({ twitchId: twitchAccounts.twitchId })
    .from(twitchAccounts)
    .where(
      and(
        inArray(twitchAccounts.twitchId, [...twitchIds]),
        is(twitchAccounts.state, 'connected'),
        isNull(twitchAccounts.missingSinceMs),
        exists(session),
      ),
    )
    .orderBy(twitchAccounts.twitchId);
  return rows.map(({ twitchId }) => twitchId);
}
