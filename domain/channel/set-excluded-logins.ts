import { and, eq, notInArray } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { excludedLogins } from '#db/schema/channel.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';

export const MOST_EXCLUDED = 200;
export type ExclusionRefusal = 'twitchNotLinked' | 'loginInvalid' | 'tooMany';

/**
 * The broadcaster names who earns no watch time on the own channel; the list replaces the one before. What somebody
 * has watched by then stays. An id that is known of a login that stays is kept.
 */
export async function setExcludedLogins(
  database: Database,
  { userId, logins }: { userId: string; logins: readonly string[] },
): Promise<Outcome<{ logins: string[] }, ExclusionRefusal>> {
  const wanted = [...new Set(logins.map((login) => login.trim().replace(/^@/, '').toLowerCase()))];
  if (wanted.length > MOST_EXCLUDED) return refuse('tooMany');
  if (!wanted.every((login) => /^[a-z0-9][a-z0-9_]{0,24}$/.test(login))) return refuse('loginInvalid');
  return database.transaction(async (tx) => {
    const [twitch] = await tx
      .select({ id: twitchAccounts.twitchId })
      .from(twitchAccounts)
      .where(eq(twitchAccounts.userId, userId));
    if (!twitch) return refuse('twitchNotLinked');
    const ofChannel = eq(excludedLogins.channelId, twitch.id);
    await tx.delete(excludedLogins).where(and(ofChannel, notInArray(excludedLogins.login, wanted)));
    if (wanted.length > 0)
      await tx
        .insert(excludedLogins)
        .values(wanted.map((login) => ({ channelId: twitch.id, login })))
        .onConflictDoNothing();
    return done({ logins: wanted.sort() });
  });
}
