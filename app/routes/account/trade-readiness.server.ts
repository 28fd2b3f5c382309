import { readInventories } from '#app/services/items/inventory.server.ts';
import { checkTradeLink } from '#app/services/items/trade-link-check.server.ts';
import type { Account } from '#domain/account/get-account.ts';

/** The state of a requirement, according to Steam. */
export type ReadyState = 'good' | 'bad' | 'unknown';

/** The requirements for trading with a user, each with its own state. */
export interface TradeReadiness {
  token: ReadyState;
  hold: ReadyState;
  holdDays: number;
  inventory: ReadyState;
}

/** Asks Steam, through the bot, about a user's trade link and inventory. Null if there is no trade link. */
export async function readTradeReadiness(
  account: Pick<Account, 'id' | 'steam'>,
  { fresh }: { fresh: boolean },
): Promise<TradeReadiness | null> {
  const { id: userId, steam } = account;
  if (!steam?.tradeLink) return null;
  const [check, inventories] = await Promise.all([
    checkTradeLink(steam.tradeLink, account),
    readInventories({ userId, steamId: steam.steamId }, { fresh }),
  ]);
  const token = { alive: 'good', dead: 'bad', unknown: 'unknown' } as const;
  const holdDays = check.state === 'alive' ? check.holdDays : 0;
  const hidden = !inventories.ok && inventories.code === 'inventoryPrivate';
  const held = holdDays > 0 ? 'bad' : 'good';
  return {
    token: token[check.state],
    hold: check.state === 'alive' ? held : 'unknown',
    holdDays,
    inventory: inventories.ok ? 'good' : hidden ? 'bad' : 'unknown',
  };
}
