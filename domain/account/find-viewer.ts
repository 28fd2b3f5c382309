import { eq, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { users } from '#db/schema/user.ts';
import { statement } from '#db/statement.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';

const readAccount = statement('viewer', (q) =>
  q
    .select({ userId: users.id, verifiedAtMs: users.emailVerifiedAtMs })
    .from(twitchAccounts)
    .innerJoin(users, eq(users.id, twitchAccounts.userId))
    .where(eq(twitchAccounts.twitchId, sql.placeholder('twitchId'))),
);

/** Finds the account of a Twitch id; refused if there is none that can be promised rewards. */
export async function findViewer(
  db: Database,
  { twitchId }: { twitchId: string },
): Promise<Outcome<{ userId: string }, 'notLinked' | 'notVerified'>> {
  const [account] = await readAccount(db.read, { twitchId });
  if (!account) return refuse('notLinked');
  return account.verifiedAtMs === null ? refuse('notVerified') : done({ userId: account.userId });
}
