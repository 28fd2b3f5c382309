import { gameOf } from '#bot/steam/games.ts';
import type { SteamAccount } from '#bot/steam/steam-account.ts';
import { amountOf } from '#domain/item/stackable.ts';
import type { BotTransfer } from '#domain/transfer/list-bot-transfers.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import type { MovedAsset } from '#domain/transfer/transfer-effects.ts';
import type { TransferWork } from './transfer-work.ts';
import { assignByClass, readUnknownAssets } from './unknown-assets.ts';

type Asset = BotTransfer['assets'][number];

/**
 * Reports a trade that Steam reversed, in whole or in part. The assets of a claim or a return are back with
 * the bot, under ids that depend on how Steam records the reversal, so the inventory decides. Returns whether
 * none of our assets turned out to be affected; false until that is known.
 */
export async function reportReversal(
  work: TransferWork,
  account: SteamAccount,
  transfer: BotTransfer,
  { tradeId, inPart }: { tradeId: string; inPart: boolean },
): Promise<boolean> {
  const { db, clock, log } = work.deps;
  const waitFor = `reversal of ${transfer.id}`;
  // Steam may list a reversal before its assets are where they belong.
  const isLate = work.patience.isOver(waitFor, work.pace.reversalMs);
  if (inPart && !isLate) return false;
  const back =
    transfer.kind === 'deposit'
      ? await takenBack(work, account, transfer, inPart)
      : await returned(work, account, transfer, { tradeId, inPart, isLate });
  if (!back) return false;
  if (back.length === 0) return true;
  const stayed = transfer.assets.filter((asset) => !back.some(({ of }) => of === asset));
  const moved = back.flatMap((each) => each.moved ?? []);
  log.warn({ transfer: transfer.id, tradeId, kind: transfer.kind, inPart }, 'the trade was reversed');
  await reportTransfer(db, transfer.id, { event: 'reversed', moved, stayed }, clock.now());
  work.patience.end(waitFor);
  work.inventory.clear();
  work.reconcileSoon();
  return false;
}

interface Returned {
  of: Asset;
  /** Null if it is not found in the inventory. */
  moved: MovedAsset | null;
}

/**
 * Finds the assets that a deposit's streamer has back: everything, or whatever left the bot's inventory. Null
 * if that cannot be read.
 */
async function takenBack(
  work: TransferWork,
  account: SteamAccount,
  { assets }: BotTransfer,
  inPart: boolean,
): Promise<Returned[] | null> {
  const gone: Returned[] = [];
  for (const of of assets) {
    if (inPart) {
      const { appId, newAssetId, amount } = of;
      const here = await work.inventory.locate(account, [{ appId, assetId: newAssetId ?? '', amount }]);
      if (here.ok) continue;
      if (here.retry !== 'never' || here.code === 'stackChanged') return null;
    }
    gone.push({ of, moved: null });
  }
  return gone;
}

/** Finds the assets of a claim or a return that the bot has back. Null while not all are found. */
async function returned(
  work: TransferWork,
  account: SteamAccount,
  transfer: BotTransfer,
  { tradeId, inPart, isLate }: { tradeId: string; inPart: boolean; isLate: boolean },
): Promise<Returned[] | null> {
  const reported = await account.getReversal(tradeId);
  if (!reported.ok) {
    work.deps.log.warn({ transfer: transfer.id, ...reported }, 'the reversal cannot be read yet');
    return null;
  }
  const back: Returned[] = [];
  for (const appId of new Set(transfer.assets.map((asset) => asset.appId))) {
    const unknown = await readUnknownAssets(work, account, appId);
    if (!unknown.ok) return null;
    const rest = new Map(unknown.value.map((asset) => [asset.assetId, asset]));
    const lost: Asset[] = [];
    for (const of of transfer.assets.filter((asset) => asset.appId === appId)) {
      const found = namesOf(of, reported.value)
        .map((name) => rest.get(name))
        .find((asset) => asset && amountOf(asset) === amountOf(of));
      if (!found) lost.push(of);
      else back.push({ of, moved: movedTo(of, found) });
      if (found) rest.delete(found.assetId);
    }
    // In a partial reversal only assets that are found have come back. Those that cannot be read may have,
    // too.
    if (inPart && lost.length > 0 && unknown.isShort) return null;
    if (inPart) continue;
    // Returned assets can be traded, unlike those that another trade has brought meanwhile.
    const open = [...rest.values()].filter(({ contextId }) => contextId === gameOf(appId)?.contextId);
    const byClass = assignByClass(lost, open);
    if (!byClass && !isLate) return null;
    for (const of of lost) {
      const found = byClass?.get(of);
      back.push({ of, moved: found ? movedTo(of, found) : null });
    }
  }
  return back;
}

/** Lists the ids under which an asset may be back, the most certain first. */
function namesOf({ appId, assetId, newAssetId }: Asset, reported: readonly MovedAsset[]): string[] {
  const named = (id: string | null) =>
    reported.flatMap((each) => (each.appId === appId && each.assetId === id ? [each.newAssetId] : []));
  return [...named(newAssetId), ...named(assetId), assetId];
}

const movedTo = (of: Asset, found: { assetId: string; contextId: string; protectedUntilMs?: number }) => ({
  appId: of.appId,
  assetId: of.newAssetId ?? of.assetId,
  newAssetId: found.assetId,
  newContextId: found.contextId,
  ...(found.protectedUntilMs && { protectedUntilMs: found.protectedUntilMs }),
});
