import type { Database } from '#db/database.ts';
import type { AccountCodeOf } from '#domain/identity/account-code.ts';
import { isVerified } from '#domain/identity/email/is-verified.ts';
import { notifyOfChange } from '#domain/identity/notify-of-change.ts';
import { mayStillAct } from '#domain/identity/session/is-live-session.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { announce } from '#domain/outbox/announce.ts';
import { evaluateRules } from '#domain/rule/evaluate-rules.ts';
import { storeTwitchAccount, type TwitchLink } from './store-twitch-account.ts';

/**
 * Links a Twitch account to a signed-in user, or updates its grant and names. The owner is mailed about a new
 * one. Refused if that Twitch id belongs to another user, or the user has a different one (unlink it first).
 * Also refused before the user's address is verified, because a linked account can sign in, and to a session
 * (`currentToken`) that ended meanwhile.
 */
export async function linkTwitch(
  db: Database,
  input: TwitchLink & { currentToken?: string },
  nowMs: number,
): Promise<
  Outcome<
    object,
    AccountCodeOf<'unverified' | 'sessionUnknown' | 'twitchLinkedElsewhere' | 'otherTwitchLinked'>
  >
> {
  const { userId } = input;
  const linked = await db.transaction(async (tx) => {
    if (!(await mayStillAct(tx, input, nowMs))) return refuse('sessionUnknown');
    if (!(await isVerified(tx, { userId }))) return refuse('unverified');
    const outcome = await storeTwitchAccount(tx, input, nowMs);
    if (outcome.ok && outcome.isNew) await notifyOfChange(tx, { userId, change: 'twitchLinked' }, nowMs);
    if (outcome.ok)
      await announce(tx, [{ userId, kind: 'account.changed', subjectId: input.person.twitchId }], nowMs);
    return outcome;
  });
  if (!linked.ok) return linked;
  await evaluateRules(db, linked.openedRuleIds, nowMs);
  return done({});
}
