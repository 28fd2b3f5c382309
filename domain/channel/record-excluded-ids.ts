import { and, eq, inArray, isNull, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { rowsOf } from '#db/dialect.ts';
import { excludedLogins } from '#db/schema/channel.ts';

/** Stores the ids of excluded logins seen in chat, so that a rename does not end the exclusion. */
export async function recordExcludedIds(
  db: Database,
  { channelId, seen }: { channelId: string; seen: readonly { login: string; twitchId: string }[] },
): Promise<void> {
  const rows = rowsOf(
    seen.map(({ login, twitchId }) => [login, twitchId]),
    { login: 'text', twitch_id: 'text' },
    's',
  );
  await db.transaction(async (tx) => {
    await tx
      .update(excludedLogins)
      .set({ twitchId: sql`(select s.twitch_id from ${rows} where s.login = ${excludedLogins.login})` })
      .where(
        and(
          eq(excludedLogins.channelId, channelId),
          isNull(excludedLogins.twitchId),
          inArray(
            excludedLogins.login,
            seen.map(({ login }) => login),
          ),
        ),
      );
  });
}
