import { eq, or } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { steamAccounts } from '#db/schema/account.ts';
import type { AccountCodeOf } from '#domain/identity/account-code.ts';
import { isVerified } from '#domain/identity/email/is-verified.ts';
import { notifyOfChange } from '#domain/identity/notify-of-change.ts';
import { mayStillAct } from '#domain/identity/session/is-live-session.ts';
import { newId } from '#domain/kernel/id.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { announce } from '#domain/outbox/announce.ts';

/**
 * Links a Steam account whose owner was just verified, and mails the user. Linking the same one again changes
 * nothing. Refused if that SteamID64 belongs to another user, the user has a different one, their address is
 * unverified, or their session (`currentToken`) ended meanwhile.
 */
export async function linkSteam(
  db: Database,
  input: { userId: string; steamId: string; personaName?: string; currentToken?: string },
  nowMs: number,
): Promise<
  Outcome<
    object,
    AccountCodeOf<'unverified' | 'sessionUnknown' | 'steamLinkedElsewhere' | 'otherSteamLinked'>
  >
> {
  const { userId, steamId, personaName = '' } = input;
  return db.transaction(async (tx) => {
    if (!(await mayStillAct(tx, input, nowMs))) return refuse('sessionUnknown');
    if (!(await isVerified(tx, { userId }))) return refuse('unverified');
    const noticeMailId = newId(nowMs);
    const row = { steamId, userId, personaName, linkedAtMs: nowMs, noticeMailId };
    const added = await tx
      .insert(steamAccounts)
      .values(row)
      .onConflictDoNothing()
      .returning({ steamId: steamAccounts.steamId });
    const accounts = await tx
      .select()
      .from(steamAccounts)
      .where(or(eq(steamAccounts.steamId, steamId), eq(steamAccounts.userId, userId)));
    if (accounts.some((each) => each.userId !== userId)) return refuse('steamLinkedElsewhere');
    if (!accounts.some((each) => each.steamId === steamId)) return refuse('otherSteamLinked');
    const notice = { userId, change: 'steamLinked', steam: steamId, mailId: noticeMailId } as const;
    if (added.length > 0) await notifyOfChange(tx, notice, nowMs);
    if (personaName)
      await tx.update(steamAccounts).set({ personaName }).where(eq(steamAccounts.steamId, steamId));
    await announce(tx, [{ userId, kind: 'account.changed', subjectId: steamId }], nowMs);
    return done({});
  });
}
