import { games } from '#bot/steam/games.ts';
import type { InventoryItem } from '#bot/steam/steam-account.ts';
import { reconcileItems } from '#domain/item/reconcile-items.ts';
import type { TransferWork } from './transfer-work.ts';

/**
 * Compares a bot's custody with its inventory, game by game. A game whose inventory cannot be read completely is
 * skipped.
 */
export async function reconcileInventory(work: TransferWork, signal: AbortSignal): Promise<void> {
  const account = work.account();
  if (!account) return;
  const { database, clock, log } = work.deps;
  for (const { appId, contextId, protectedContextId } of games) {
    if (signal.aborted) return;
    const readAtMs = clock.now();
    const contexts = protectedContextId === null ? [contextId] : [contextId, protectedContextId];
    const found: InventoryItem[] = [];
    let isWhole = true;
    for (const context of contexts) {
      const items = await work.inventory.read(account, appId, context, 0);
      if (items.ok) found.push(...items.value);
      else isWhole = false;
    }
    if (!isWhole) continue;
    const result = await reconcileItems(database, { botId: work.botId, appId, found, readAtMs }, clock.now());
    if (result.lost > 0)
      log.error({ bot: work.botId, appId, ...result }, 'items are missing from the inventory');
    else if (result.found > 0)
      log.info({ bot: work.botId, appId, ...result }, 'missing items are back in the inventory');
  }
}
