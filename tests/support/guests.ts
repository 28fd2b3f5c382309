import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { admitGuest } from '#domain/audience/admit-guest.ts';
import { type Person, START_MS } from '#tests/support/fixtures.ts';

/** The login by which a person is admitted. */
export async function loginOf(db: Database, { twitchId }: Pick<Person, 'twitchId'>): Promise<string> {
  const [row] = await db.read
    .select({ login: twitchAccounts.login })
    .from(twitchAccounts)
    .where(eq(twitchAccounts.twitchId, twitchId));
  if (!row) throw new Error(`nobody has linked ${twitchId}`);
  return row.login;
}

/** Lets `guest` run rules on the channel of `host`. */
export const admit = async (db: Database, host: Person, guest: Person) =>
  admitGuest(db, { userId: host.userId, login: await loginOf(db, guest) }, START_MS);
