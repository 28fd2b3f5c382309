import { and, eq } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { steamAccounts } from '#db/schema/account.ts';
import type { AccountCodeOf } from '#domain/identity/account-code.ts';
import { notifyOfChange } from '#domain/identity/notify-of-change.ts';
import { parseTradeLink } from '#domain/identity/steam/trade-link.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { announce } from '#domain/outbox/announce.ts';

type Code = AccountCodeOf<'tradeLinkMalformed' | 'steamNotLinked' | 'tradeLinkNotYours'>;

/**
 * Stores a user's trade link. Its partner must be the linked SteamID64, so that items reach nobody else. The
 * user is mailed if it replaces another one.
 */
export async function setTradeLink(
  db: Database,
  input: { userId: string; tradeLink: string },
  nowMs: number,
): Promise<Outcome<{ steamId: string }, Code>> {
  const { userId } = input;
  const link = parseTradeLink(input.tradeLink);
  if (!link) return refuse('tradeLinkMalformed');
  const { steamId, token: tradeToken } = link;
  return db.transaction(async (tx) => {
    const [account] = await tx
      .select({ steamId: steamAccounts.steamId, tradeToken: steamAccounts.tradeToken })
      .from(steamAccounts)
      .where(eq(steamAccounts.userId, userId));
    if (!account) return refuse('steamNotLinked');
    if (account.steamId !== steamId) return refuse('tradeLinkNotYours');
    await tx
      .update(steamAccounts)
      .set({ tradeToken })
      .where(and(eq(steamAccounts.steamId, steamId), eq(steamAccounts.userId, userId)));
    if (account.tradeToken !== null && account.tradeToken !== tradeToken)
      await notifyOfChange(tx, { userId, change: 'tradeLinkChanged', steam: steamId }, nowMs);
    await announce(tx, [{ userId, kind: 'account.changed', subjectId: steamId }], nowMs);
    return done({ steamId });
  });
}
