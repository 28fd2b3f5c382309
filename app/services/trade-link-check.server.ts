import { z } from 'zod';
import { parseTradeLink } from '#domain/account/steam/trade-link.ts';
import { callBot } from './bot-client.server.ts';

const ReadinessSchema = z.union([
  z.object({ tokenValid: z.literal(false) }),
  z.object({ tokenValid: z.literal(true), theirDays: z.number().int().min(0) }),
]);

/** Steam's current answer about a trade link; unknown if Steam or the bot did not answer. */
export type TradeLinkCheck = { state: 'dead' | 'unknown' } | { state: 'alive'; holdDays: number };

/**
 * Asks Steam, through the bot, whether offers reach a trade link of this account, and how long Steam would hold them.
 * A link of another account is not checked; the domain refuses it.
 */
export async function checkTradeLink(text: string, steamId: string | undefined): Promise<TradeLinkCheck> {
  const link = parseTradeLink(text);
  if (!link || link.steamId !== steamId) return { state: 'unknown' };
  const query = new URLSearchParams({ steamId, tradeToken: link.token });
  const answer = await callBot(`/readiness?${query}`);
  const readiness = ReadinessSchema.safeParse(answer.ok ? answer.body : null);
  if (!readiness.success) return { state: 'unknown' };
  if (!readiness.data.tokenValid) return { state: 'dead' };
  return { state: 'alive', holdDays: readiness.data.theirDays };
}
