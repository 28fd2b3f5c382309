import { type Game, games, PROTECTED_CONTEXT } from '#bot/steam/games.ts';
import type { InventoryItem, SteamAccount } from '#bot/steam/steam-account.ts';
import type { NextDue } from '#bot/worker.ts';
import { reconcileItems } from '#domain/custody/reconcile-items.ts';
import { hasUnknownAssets } from '#domain/custody/record-unknown-assets.ts';
import { listCustodyAssets } from '#domain/item/list-custody-assets.ts';
import { steadyMs } from '#platform/steady-time.ts';
import { recordStrangers } from './record-strangers.ts';
import type { TransferWork } from './transfer-work.ts';

/**
 * Returns a worker's round that compares a bot's custody with its inventory, game by game. A game whose
 * inventory cannot be read is skipped; one that can be read in part proves nothing absent. One reading never
 * makes an item missing: it has to be absent twice, with a pause between. Assets that belong to no item are
 * stored for the operator, who gets a mail about missing items and unknown assets.
 */
export function reconcileInventory(work: TransferWork): (signal: AbortSignal) => Promise<NextDue> {
  const absentSinceMs = new Map<string, number>();
  return async (signal) => {
    const account = work.account();
    if (!account) return null;
    const { db, clock, config, log } = work.deps;
    const { operatorEmail } = config;
    const absent = new Set<string>();
    for (const game of games) {
      if (signal.aborted) return null;
      const { appId } = game;
      if (!(await isCompared(work, game))) continue;
      const readAtMs = clock.now();
      const found = await readGame(work, account, game);
      if (!found) continue;
      const absentBefore = new Set(
        [...absentSinceMs].flatMap(([id, sinceMs]) =>
          steadyMs() - sinceMs >= work.pace.absenceMs ? [id] : [],
        ),
      );
      const reading = { botId: work.botId, appId, ...found, readAtMs, absentBefore, operatorEmail };
      const result = await reconcileItems(db, reading, clock.now());
      for (const id of result.absent) absent.add(id);
      if (found.isWhole) await recordStrangers(work, appId, found.found);
      const { lost, found: back } = result;
      if (lost > 0) log.error({ bot: work.botId, appId, lost }, 'items are missing from the inventory');
      if (back > 0) log.info({ bot: work.botId, appId, back }, 'missing items are back in the inventory');
    }
    for (const id of absentSinceMs.keys()) if (!absent.has(id)) absentSinceMs.delete(id);
    for (const id of absent) absentSinceMs.set(id, absentSinceMs.get(id) ?? steadyMs());
    return absent.size > 0 ? Math.min(work.pace.absenceMs, work.pace.reconcileMs) : work.pace.reconcileMs;
  };
}

async function isCompared(
  { deps, botId }: TransferWork,
  { appId, isAlwaysCompared }: Game,
): Promise<boolean> {
  if (isAlwaysCompared || (await listCustodyAssets(deps.db.read, { botId, appId })).size > 0) return true;
  // As long as there are such assets, they are listed for the operator and keep stacks of their class away.
  return hasUnknownAssets(deps.db.read, { botId, appId });
}

async function readGame(
  work: TransferWork,
  account: SteamAccount,
  { appId, contextId }: Game,
): Promise<{ found: InventoryItem[]; isWhole: boolean } | null> {
  const open = await work.inventory.read(account, appId, contextId, 0);
  if (!open.ok) return null;
  const held = await work.inventory.read(account, appId, PROTECTED_CONTEXT, 0);
  return {
    found: [...open.value, ...(held.ok ? held.value : [])],
    isWhole: held.ok && !open.isShort && !held.isShort,
  };
}
