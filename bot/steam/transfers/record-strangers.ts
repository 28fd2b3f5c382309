import type { InventoryItem } from '#bot/steam/steam-account.ts';
import { recordUnknownAssets } from '#domain/custody/record-unknown-assets.ts';
import type { TransferWork } from './transfer-work.ts';

/**
 * Records which assets of a complete reading of one game belong to no item. Those that cannot be traded, such as medals,
 * belong to the account itself.
 */
export async function recordStrangers(
  { deps, botId }: TransferWork,
  appId: number,
  there: readonly InventoryItem[],
): Promise<void> {
  const { db, clock, config } = deps;
  const { operatorEmail } = config;
  const found = there.filter(({ tradable, protectedUntilMs }) => tradable || protectedUntilMs);
  await recordUnknownAssets(db, { botId, appId, found, operatorEmail }, clock.now());
}
