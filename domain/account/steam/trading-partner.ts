import { eq, sql } from 'drizzle-orm';
import type { Reader, Tx } from '#db/database.ts';
import { steamAccounts } from '#db/schema/account.ts';
import { statement } from '#db/statement.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';

/** The columns of a linked Steam account that say where offers go. */
export const partnerColumns = {
  steamId: steamAccounts.steamId,
  tradeToken: steamAccounts.tradeToken,
  linkedAtMs: steamAccounts.linkedAtMs,
};

const readSteam = statement('trading_partner', (tx) =>
  tx
    .select(partnerColumns)
    .from(steamAccounts)
    .where(eq(steamAccounts.userId, sql.placeholder('userId'))),
);

export interface TradingPartner {
  steamId: string;
  tradeToken: string;
  linkedAtMs: number;
}
type Partnership = Outcome<{ partner: TradingPartner }, 'steamNotLinked' | 'tradeLinkMissing'>;

/** Where a user's trade offers go: the linked Steam account and its trade token. */
export async function tradingPartner(q: Reader | Tx, userId: string): Promise<Partnership> {
  const [steam] = await readSteam(q, { userId });
  return partnerOf(steam);
}

/** The same of what was read of the user's Steam account, if there is one. */
export function partnerOf(
  steam: { steamId: string; tradeToken: string | null; linkedAtMs: number } | null | undefined,
): Partnership {
  if (!steam) return refuse('steamNotLinked');
  const { tradeToken } = steam;
  return tradeToken ? done({ partner: { ...steam, tradeToken } }) : refuse('tradeLinkMissing');
}
