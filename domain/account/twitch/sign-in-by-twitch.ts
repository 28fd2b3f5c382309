import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import type { AccountCodeOf } from '#domain/account/account-code.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';
import { evaluateRules } from '#domain/rule/evaluate-rules.ts';
import { storeTwitchAccount, type TwitchLink } from './store-twitch-account.ts';

interface SignedIn {
  userId: string;
  openedRuleIds: string[];
}

/** Recognises a person by the numeric Twitch id alone, never by a name or an address, and renews what Twitch tells. */
export async function signInByTwitch(
  db: Database,
  input: Omit<TwitchLink, 'userId'>,
  nowMs: number,
): Promise<Outcome<{ userId: string }, AccountCodeOf<'twitchUnknown'>>> {
  const signedIn = await db.transaction<Outcome<SignedIn, AccountCodeOf<'twitchUnknown'>>>(async (tx) => {
    const [account] = await tx
      .select({ userId: twitchAccounts.userId })
      .from(twitchAccounts)
      .where(eq(twitchAccounts.twitchId, input.person.twitchId));
    if (!account) return refuse('twitchUnknown');
    const { userId } = account;
    const stored = await storeTwitchAccount(tx, { ...input, userId }, nowMs);
    return stored.ok ? done({ userId, openedRuleIds: stored.openedRuleIds }) : refuse('twitchUnknown');
  });
  if (!signedIn.ok) return signedIn;
  await evaluateRules(db, signedIn.openedRuleIds, nowMs);
  return done({ userId: signedIn.userId });
}
