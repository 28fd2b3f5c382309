import { eq, inArray } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { channels } from '#db/schema/channel.ts';

/** A person's present names on Twitch. The id stays for life; a login can pass to somebody else. */
export interface TwitchName {
  twitchId: string;
  login: string;
  displayName: string;
}

/** Records changed names of people who have a channel here; returns the number of changes. */
export async function recordNames(db: Database, names: readonly TwitchName[]): Promise<number> {
  if (names.length === 0) return 0;
  const ids = names.map(({ twitchId }) => twitchId);
  const { id, login, displayName } = channels;
  const known = await db.read
    .select({ id, login, displayName })
    .from(channels)
    .where(inArray(channels.id, ids));
  const stored = new Map(known.map((channel) => [channel.id, channel]));
  const changed = names.filter((name) => {
    const before = stored.get(name.twitchId);
    // A channel whose owner deleted their account has lost its name, and gets none back.
    return (
      before &&
      before.login !== '' &&
      (before.login !== name.login || before.displayName !== name.displayName)
    );
  });
  if (changed.length === 0) return 0;
  return db.transaction(async (tx) => {
    for (const { twitchId, ...name } of changed) {
      await tx.update(channels).set(name).where(eq(channels.id, twitchId));
      await tx.update(twitchAccounts).set(name).where(eq(twitchAccounts.twitchId, twitchId));
    }
    return changed.length;
  });
}
