import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import type { AccountCodeOf } from '#domain/account/account-code.ts';
import { storeTwitchAccount, type TwitchLink } from '#domain/account/store-twitch-account.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';

/** Recognises a person by the numeric Twitch id alone, never by a name or an address, and renews what Twitch tells. */
export async function signInByTwitch(
  db: Database,
  input: Omit<TwitchLink, 'userId'>,
  nowMs: number,
): Promise<Outcome<{ userId: string }, AccountCodeOf<'twitchUnknown'>>> {
  return db.transaction(async (tx) => {
    const [account] = await tx
      .select({ userId: twitchAccounts.userId })
      .from(twitchAccounts)
      .where(eq(twitchAccounts.twitchId, input.person.twitchId));
    if (!account) return refuse('twitchUnknown');
    const { userId } = account;
    const stored = await storeTwitchAccount(tx, { ...input, userId }, nowMs);
    return stored.ok ? done({ userId }) : refuse('twitchUnknown');
  });
}
