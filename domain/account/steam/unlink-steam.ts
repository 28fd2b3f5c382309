import { eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { steamAccounts } from '#db/schema/account.ts';
import type { AccountCodeOf } from '#domain/identity/account-code.ts';
import { notifyOfChange } from '#domain/identity/notify-of-change.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { announce } from '#domain/outbox/announce.ts';

/** Unlinks a user's Steam account and trade link, and mails them. Offers already queued or sent keep their partner. */
export async function unlinkSteam(
  db: Database,
  input: { userId: string },
  nowMs: number,
): Promise<Outcome<object, AccountCodeOf<'steamNotLinked'>>> {
  const { userId } = input;
  return db.transaction(async (tx) => {
    const [account] = await tx
      .delete(steamAccounts)
      .where(eq(steamAccounts.userId, userId))
      .returning({ steamId: steamAccounts.steamId });
    if (!account) return refuse('steamNotLinked');
    await notifyOfChange(tx, { userId, change: 'steamUnlinked', steam: account.steamId }, nowMs);
    await announce(tx, [{ userId, kind: 'account.changed', subjectId: account.steamId }], nowMs);
    return done({});
  });
}
