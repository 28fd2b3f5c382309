import { eq } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { type Locale, users } from '#db/schema/user.ts';
import { discardUnverified } from '#domain/account/discard-unverified.ts';
import type { AccountCodeOf } from '#domain/identity/account-code.ts';
import { emailAddress } from '#domain/identity/email/email-address.ts';
import { newId } from '#domain/kernel/id.ts';
import { done, type Outcome, Refused, refusable, refuse } from '#domain/kernel/outcome.ts';
import { evaluateRules } from '#domain/rule/evaluate-rules.ts';
import { storeTwitchAccount, type TwitchLink } from './store-twitch-account.ts';

interface SignedIn {
  userId: string;
  openedRuleIds: string[];
}

/** Finds the user that a Twitch account is linked to. */
async function findUserOf(tx: Tx, twitchId: string): Promise<string | undefined> {
  const [account] = await tx
    .select({ userId: twitchAccounts.userId })
    .from(twitchAccounts)
    .where(eq(twitchAccounts.twitchId, twitchId));
  return account?.userId;
}

const isLinked = async (tx: Tx, twitchId: string): Promise<boolean> =>
  (await findUserOf(tx, twitchId)) !== undefined;

/** Signs in by numeric Twitch id, never by name or address, and updates the stored Twitch profile. */
export async function signInByTwitch(
  db: Database,
  input: Omit<TwitchLink, 'userId'>,
  nowMs: number,
): Promise<Outcome<{ userId: string }, AccountCodeOf<'twitchUnknown'>>> {
  const signedIn = await db.transaction<Outcome<SignedIn, AccountCodeOf<'twitchUnknown'>>>(async (tx) => {
    const userId = await findUserOf(tx, input.person.twitchId);
    if (userId === undefined) return refuse('twitchUnknown');
    const stored = await storeTwitchAccount(tx, { ...input, userId }, nowMs);
    return stored.ok ? done({ userId, openedRuleIds: stored.openedRuleIds }) : refuse('twitchUnknown');
  });
  if (!signedIn.ok) return signedIn;
  await evaluateRules(db, signedIn.openedRuleIds, nowMs);
  return done({ userId: signedIn.userId });
}

type Code = AccountCodeOf<'twitchLinkedElsewhere' | 'twitchEmailMissing' | 'emailTaken'>;

/**
 * Creates an account from Twitch; the address that Twitch verified counts as verified. If an account has this
 * address already, it is not linked automatically: the answer is `emailTaken`, and its owner links Twitch
 * after signing in. If that account never verified the address, it is discarded instead.
 */
export async function registerByTwitch(
  db: Database,
  input: Omit<TwitchLink, 'userId'> & { locale: Locale },
  nowMs: number,
): Promise<Outcome<{ userId: string }, Code>> {
  const { person, locale } = input;
  const registered = await refusable<Outcome<{ userId: string; openedRuleIds: string[] }, Code>, Code>(() =>
    db.transaction(async (tx) => {
      if (await isLinked(tx, person.twitchId)) return refuse('twitchLinkedElsewhere');
      if (!person.email) return refuse('twitchEmailMissing');
      const email = emailAddress(person.email);
      await discardUnverified(tx, { email }, nowMs);
      const user = { id: newId(nowMs), name: person.displayName, email, locale, createdAtMs: nowMs };
      const added = await tx
        .insert(users)
        .values({ ...user, emailVerifiedAtMs: nowMs })
        .onConflictDoNothing()
        .returning({ id: users.id });
      // The insert waited for another transaction that took the address, perhaps another request of the same
      // person.
      if (added.length === 0)
        return refuse((await isLinked(tx, person.twitchId)) ? 'twitchLinkedElsewhere' : 'emailTaken');
      const stored = await storeTwitchAccount(tx, { ...input, userId: user.id }, nowMs);
      // Another request registered this Twitch id meanwhile: roll back the new user.
      if (!stored.ok) throw new Refused<Code>('twitchLinkedElsewhere');
      return done({ userId: user.id, openedRuleIds: stored.openedRuleIds });
    }),
  );
  if (!registered.ok) return registered;
  await evaluateRules(db, registered.openedRuleIds, nowMs);
  return done({ userId: registered.userId });
}

/** Signs in a known Twitch id or registers a new one; concurrent requests end in the same account. */
export async function enterByTwitch(
  db: Database,
  input: Omit<TwitchLink, 'userId'> & { locale: Locale },
  nowMs: number,
): Promise<Outcome<{ userId: string; registered: boolean }, Code>> {
  const known = await signInByTwitch(db, input, nowMs);
  if (known.ok) return done({ userId: known.userId, registered: false });
  const fresh = await registerByTwitch(db, input, nowMs);
  if (fresh.ok) return done({ userId: fresh.userId, registered: true });
  if (fresh.code !== 'twitchLinkedElsewhere') return fresh;
  const meanwhile = await signInByTwitch(db, input, nowMs);
  return meanwhile.ok
    ? done({ userId: meanwhile.userId, registered: false })
    : refuse('twitchLinkedElsewhere');
}
