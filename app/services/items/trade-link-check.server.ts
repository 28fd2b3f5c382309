import { z } from 'zod';
import { callBot } from '#app/services/bot-client.server.ts';
import type { Account } from '#domain/account/get-account.ts';
import { parseTradeLink } from '#domain/identity/steam/trade-link.ts';

const ReadinessSchema = z.union([
  z.object({ tokenValid: z.literal(false) }),
  z.object({
    tokenValid: z.literal(true),
    ourDays: z.number().int().min(0),
    theirDays: z.number().int().min(0),
  }),
]);

/**
 * Steam's current answer about a trade link; unknown if Steam or the bot did not answer. Steam holds an offer
 * for as long as those who give something in it lack an authenticator (its announcement "Security and
 * Trading" of December 2015: "anyone losing items in a trade"), so `holdDays` applies to items that the
 * link's owner gives, such as a deposit, and `botHoldDays` to those that they receive.
 */
export type TradeLinkCheck =
  | { state: 'dead' | 'unknown' }
  | { state: 'alive'; holdDays: number; botHoldDays: number };

/**
 * Asks Steam, through the bot, whether offers reach a trade link of this account, and how long Steam would hold them.
 * The bot is the named one, or any. A link to another Steam account is not checked; the domain refuses it.
 */
export async function checkTradeLink(
  text: string,
  { id: userId, steam }: Pick<Account, 'id' | 'steam'>,
  botId?: string,
): Promise<TradeLinkCheck> {
  const link = parseTradeLink(text);
  if (!link || link.steamId !== steam?.steamId) return { state: 'unknown' };
  const query = new URLSearchParams({
    userId,
    steamId: link.steamId,
    tradeToken: link.token,
    ...(botId && { botId }),
  });
  const answer = await callBot(`/readiness?${query}`);
  const readiness = ReadinessSchema.safeParse(answer.ok ? answer.body : null);
  if (!readiness.success) return { state: 'unknown' };
  if (!readiness.data.tokenValid) return { state: 'dead' };
  const { ourDays, theirDays } = readiness.data;
  return { state: 'alive', holdDays: theirDays, botHoldDays: ourDays };
}
