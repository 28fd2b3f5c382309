import { and, eq, notInArray } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { excludedLogins } from '#db/schema/channel.ts';
import { findChannelOf } from '#domain/channel/find-channel.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';

export const MAX_EXCLUDED = 200;
export type ExclusionRefusal = 'twitchNotLinked' | 'loginInvalid' | 'tooMany';

/**
 * Replaces the list of logins that earn no watch time on the broadcaster's channel. Time already watched stays. Known
 * ids of logins that remain on the list are kept.
 */
export async function setExcludedLogins(
  db: Database,
  { userId, logins }: { userId: string; logins: readonly string[] },
): Promise<Outcome<{ logins: string[] }, ExclusionRefusal>> {
  const wanted = [...new Set(logins.map((login) => login.trim().replace(/^@/, '').toLowerCase()))];
  if (wanted.length > MAX_EXCLUDED) return refuse('tooMany');
  if (!wanted.every((login) => /^[a-z0-9][a-z0-9_]{0,24}$/.test(login))) return refuse('loginInvalid');
  return db.transaction(async (tx) => {
    const channelId = await findChannelOf(tx, userId);
    if (!channelId) return refuse('twitchNotLinked');
    const ofChannel = eq(excludedLogins.channelId, channelId);
    await tx.delete(excludedLogins).where(and(ofChannel, notInArray(excludedLogins.login, wanted)));
    if (wanted.length > 0)
      await tx
        .insert(excludedLogins)
        .values(wanted.map((login) => ({ channelId, login })))
        .onConflictDoNothing();
    return done({ logins: wanted.sort() });
  });
}
