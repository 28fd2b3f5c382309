import { eq, sql } from 'drizzle-orm';
import type { Reader, Tx } from '#db/database.ts';
import { steamAccounts } from '#db/schema/account.ts';
import { statement } from '#db/statement.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';

/** Columns of a linked Steam account needed to send offers. */
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

/** Returns the Steam account and trade token that offers to this user go to. */
export async function tradingPartner(q: Reader | Tx, userId: string): Promise<Partnership> {
  const [steam] = await readSteam(q, { userId });
  return partnerOf(steam);
}

/** Like `tradingPartner`, from columns already read. */
export function partnerOf(
  steam: { steamId: string; tradeToken: string | null; linkedAtMs: number } | null | undefined,
): Partnership {
  if (!steam) return refuse('steamNotLinked');
  const { tradeToken } = steam;
  return tradeToken ? done({ partner: { ...steam, tradeToken } }) : refuse('tradeLinkMissing');
}
