import type { Database } from '#db/database.ts';
import type { Locale } from '#db/schema/user.ts';
import type { AccountCodeOf } from '#domain/account/account-code.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';
import { registerByTwitch } from './register-by-twitch.ts';
import { signInByTwitch } from './sign-in-by-twitch.ts';
import type { TwitchLink } from './store-twitch-account.ts';

type Code = AccountCodeOf<'twitchLinkedElsewhere' | 'twitchEmailMissing' | 'emailTaken'>;

/** Signs in who is known by this Twitch id, and registers who is not; two answers at once end in the same account. */
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
