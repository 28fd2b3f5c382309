import { eq, sql } from 'drizzle-orm';
import type { Reader, Tx } from '#db/database.ts';
import { steamAccounts } from '#db/schema/account.ts';
import { statement } from '#db/statement.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';

const readSteam = statement('trading_partner', (tx) =>
  tx
    .select({
      steamId: steamAccounts.steamId,
      tradeToken: steamAccounts.tradeToken,
      linkedAtMs: steamAccounts.linkedAtMs,
    })
    .from(steamAccounts)
    .where(eq(steamAccounts.userId, sql.placeholder('userId'))),
);

export interface TradingPartner {
  steamId: string;
  tradeToken: string;
  linkedAtMs: number;
}

/** Where a user's trade offers go: the linked Steam account and its trade token. */
export async function tradingPartner(
  q: Reader | Tx,
  userId: string,
): Promise<Outcome<{ partner: TradingPartner }, 'steamNotLinked' | 'tradeLinkMissing'>> {
  const [steam] = await readSteam(q, { userId });
  if (!steam) return refuse('steamNotLinked');
  const { tradeToken } = steam;
  return tradeToken ? done({ partner: { ...steam, tradeToken } }) : refuse('tradeLinkMissing');
}
