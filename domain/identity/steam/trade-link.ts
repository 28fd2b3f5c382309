/** SteamID64 of account id 0: the account's number is added to it. */
const firstSteamId = 76_561_197_960_265_728n;

/** The parts of a Steam trade link: its owner, and the token that lets strangers send offers. */
export interface TradeLink {
  steamId: string;
  token: string;
}

/**
 * Reads `https://steamcommunity.com/tradeoffer/new/?partner=<account id>&token=<8 characters>`; null when it is
 * anything else, because a link to another site is how people lose their items.
 */
export function parseTradeLink(text: string): TradeLink | null {
  if (!URL.canParse(text.trim())) return null;
  const url = new URL(text.trim());
  if (url.origin !== 'https://steamcommunity.com' || url.username || url.password) return null;
  if (!/^\/tradeoffer\/new\/?$/.test(url.pathname)) return null;
  const partners = url.searchParams.getAll('partner');
  const tokens = url.searchParams.getAll('token');
  if (partners.length !== 1 || tokens.length !== 1) return null;
  const [partner = '', token = ''] = [partners[0], tokens[0]];
  if (!/^[1-9]\d{0,9}$/.test(partner) || Number(partner) > 0xffff_ffff) return null;
  if (!/^[\w-]{8}$/.test(token)) return null;
  return { steamId: String(firstSteamId + BigInt(partner)), token };
}

/** Formats the trade link of an account and token. */
export function formatTradeLink(link: TradeLink): string {
  const partner = BigInt(link.steamId) - firstSteamId;
  return `https://steamcommunity.com/tradeoffer/new/?partner=${partner}&token=${link.token}`;
}
