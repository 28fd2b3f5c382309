import type { Database, TransactionOptions } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { watchTimes } from '#db/schema/channel.ts';
import { users } from '#db/schema/user.ts';

/** Adds this many registered viewers who have watched a channel for ten minutes, as rows. */
export async function addCrowd(db: Database, channelId: string, amount: number): Promise<readonly string[]> {
  const twitchIds = Array.from({ length: amount }, (_, place) => `9${String(place).padStart(6, '0')}`);
  const [account] = await db.read.select().from(twitchAccounts);
  const [user] = await db.read.select().from(users);
  await db.transaction(async (tx) => {
    for (let from = 0; from < amount; from += 500) {
      const some = twitchIds.slice(from, from + 500);
      const person = (id: string) => ({ ...user!, id: `user-${id}`, email: `${id}@example.org` });
      await tx.insert(users).values(some.map(person));
      await tx
        .insert(twitchAccounts)
        .values(some.map((twitchId) => ({ ...account!, twitchId, userId: `user-${twitchId}` })));
      const watched = { channelId, seconds: 600, nextCheckSeconds: 2 ** 52 };
      await tx.insert(watchTimes).values(some.map((twitchId) => ({ ...watched, twitchId })));
    }
  });
  return twitchIds;
}

/** The database as one of its users sees it: after each of their transactions somebody else acts. */
export function withOthers(
  db: Database,
  others: (nth: number) => Promise<unknown>,
): Database & { transactions: number } {
  const seen = {
    ...db,
    transactions: 0,
    async transaction<T, O extends TransactionOptions = object>(
      ...given: Parameters<typeof db.transaction<T, O>>
    ) {
      const value = await db.transaction<T, O>(...given);
      await others(++seen.transactions);
      return value;
    },
  };
  return seen;
}
