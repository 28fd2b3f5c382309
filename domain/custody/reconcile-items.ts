import { and, eq, max, type SQL } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import { countedInCustody, items, ledgerEntries } from '#db/schema/item.ts';
import { liveTransferStates, transferItems, transfers } from '#db/schema/transfer.ts';
import { alarmOfInventory } from '#domain/custody/alarm-of-inventory.ts';
import { listDrifted } from '#domain/custody/audit-custody.ts';
import { advanceItem } from '#domain/item/advance-item.ts';
import { appliedNames } from '#domain/item/applied-names.ts';
import { findClosestPiece } from '#domain/item/find-closest-piece.ts';
import { listCustodyAssets } from '#domain/item/list-custody-assets.ts';
import { amountOf } from '#domain/item/stackable.ts';
import { botLock } from '#domain/kernel/locks.ts';
import { announce } from '#domain/outbox/announce.ts';
import { moveEnded } from '#domain/reward/count-ended.ts';

/** An asset in the inventory. */
interface FoundAsset {
  assetId: string;
  contextId: string;
  classId: string;
  traits?: string;
  traitIcons?: string;
  wear?: string;
  amount?: number;
}

/** A bot's inventory of one game, all contexts, read at one time. */
export interface InventoryReading {
  botId: string;
  appId: number;
  found: readonly FoundAsset[];
  /** True if the reading is complete. If not, nothing counts as absent. */
  isWhole?: boolean;
  /** Time at which the reading began. Items that moved later are not judged by it. */
  readAtMs: number;
  /** Held items that were absent in an earlier reading too: only these become missing. */
  absentBefore: ReadonlySet<string>;
  /** Receiver of the mail about missing items. */
  operatorEmail?: string | null;
}

/**
 * Reconciles a bot's items with its inventory: a held item that is absent for the second time becomes
 * missing, and a missing item that is present becomes held. A new context or id that Steam gave an item is
 * stored, and so are traits and wear that were not known. Items in an open offer are skipped. Returns the
 * number lost and found, and the held items that are absent. An asset with another number of pieces than its item counts as
 * absent: nothing can be given of it whole.
 */
export async function reconcileItems(
  db: Database,
  reading: InventoryReading,
  nowMs: number,
): Promise<{ lost: number; found: number; absent: string[] }> {
  const { botId, appId, found, isWhole = true, readAtMs, absentBefore, operatorEmail = null } = reading;
  const byId = new Map(found.map((asset) => [asset.assetId, asset]));
  return db.transaction(
    async (tx) => {
      const rows = await knownItems(tx, botId, appId);
      const drifted = await listDrifted(
        tx,
        rows.flatMap(({ id, state }) => (state === 'missing' ? [id] : [])),
      );
      const judged = rows.filter(
        ({ id, state, movedAtMs }) =>
          state !== 'outgoing' && Number(movedAtMs ?? 0) < readAtMs && !drifted.has(id),
      );
      const renamed = isWhole
        ? await findRenamed(tx, { botId, appId, judged, found, nowMs })
        : new Map<string, FoundAsset>();
      const result = { lost: 0, found: 0, absent: [] as string[] };
      const owners = new Map<string, string>();
      for (const row of judged) {
        const there = byId.get(row.assetId);
        const asset = (there && isSameAmount(there, row) ? there : null) ?? renamed.get(row.id);
        if (!asset && !isWhole) continue;
        const isAbsent = !asset && row.state === 'held';
        if (isAbsent && !absentBefore.has(row.id)) {
          result.absent.push(row.id);
          continue;
        }
        if ((asset !== undefined) !== (row.state === 'held')) {
          const step = { event: asset ? 'found' : 'lost', cause: 'reconciliation' } as const;
          if (!(await advanceItem(tx, row.id, step, nowMs))) continue;
          result[step.event] += 1;
          owners.set(row.ownerId, row.id);
        }
        if (asset) await storeAsset(tx, row, asset);
      }
      const announced = [...owners].map(([userId, subjectId]) => ({
        userId,
        kind: 'items.changed' as const,
        subjectId,
      }));
      await announce(tx, announced, nowMs);
      await alarmOfInventory(tx, { botId, concern: 'missing', operatorEmail }, nowMs);
      return result;
    },
    { lock: botLock(botId) },
  );
}

/**
 * Stores what changed of a piece. An inventory that reports fewer traits, or no wear, takes none away. When other
 * traits become known, the piece is another kind, and its past rewards count under that.
 */
async function storeAsset(tx: Tx, row: KnownItem, asset: FoundAsset): Promise<void> {
  const { contextId, assetId } = asset;
  const [traits, wear] = [fullestOf(row.traits, asset.traits ?? ''), row.wear || (asset.wear ?? '')];
  const traitIcons = iconsFor(traits, row, asset);
  const isSame = contextId === row.contextId && assetId === row.assetId && traitIcons === row.traitIcons;
  if (isSame && traits === row.traits && wear === row.wear) return;
  const store = () =>
    tx
      .update(items)
      .set({ contextId, assetId, traits, traitIcons, wear })
      .where(eq(items.id, row.id))
      .execute();
  await (traits === row.traits ? store() : moveEnded(tx, row.id, store));
}

/**
 * Nobody changes a piece in custody, so a reading that tells as much as an earlier one in other words is right. One that
 * only has another order makes no other kind of the piece, or it would change with every inventory.
 */
function fullestOf(known: string, read: string): string {
  const [before, now] = [linesOf(known), linesOf(read)];
  return now.length < before.length || now.join('\n') === before.join('\n') ? known : read;
}

/** Pictures are in the order of the names that they were read with, of which the known ones may have another. */
function iconsFor(traits: string, row: KnownItem, asset: FoundAsset): string {
  const read = asset.traits ?? '';
  if (asset.traitIcons && linesOf(traits).join('\n') === linesOf(read).join('\n'))
    return reordered(asset.traitIcons, read, traits);
  return traits === row.traits ? row.traitIcons : '';
}

/** Puts the pictures of traits into the order that the same lines have elsewhere. */
function reordered(traitIcons: string, from: string, to: string): string {
  const left = traitIcons.split('\n');
  const iconsOf = new Map<string, string[][]>();
  for (const line of from.split('\n')) {
    const icons = appliedNames(line).map(() => left.shift() ?? '');
    iconsOf.set(line, [...(iconsOf.get(line) ?? []), icons]);
  }
  return to
    .split('\n')
    .flatMap((line) => iconsOf.get(line)?.shift() ?? [])
    .join('\n')
    .trimEnd();
}

const linesOf = (traits: string): string[] => (traits === '' ? [] : traits.split('\n').sort());

const isSameAmount = (found: FoundAsset, row: KnownItem): boolean => amountOf(found) === row.amount;

type KnownItem = Awaited<ReturnType<typeof knownItems>>[number];

const knownItems = (tx: Tx, botId: string, appId: number) =>
  tx
    .select({
      id: items.id,
      ownerId: items.ownerId,
      state: items.state,
      assetId: items.assetId,
      contextId: items.contextId,
      classId: items.classId,
      traits: items.traits,
      traitIcons: items.traitIcons,
      wear: items.wear,
      amount: items.amount,
      lockedUntilMs: items.lockedUntilMs,
      movedAtMs: max(ledgerEntries.atMs),
    })
    .from(items)
    .innerJoin(ledgerEntries, eq(ledgerEntries.itemId, items.id))
    .where(and(eq(items.botId, botId), eq(items.appId, appId), within(items.state, countedInCustody)))
    .groupBy(items.id);

/**
 * Finds items whose asset got another id: a failed trade gives its items back under new ones, and the end of
 * protection may change them. If there are as many absent items of a class as unknown assets of that class,
 * they are the same, and each item becomes the asset that is most like it. Any other number is ambiguous. So
 * is a class with an item that is still locked, or of which a deposit or a reversal may have brought an
 * asset. Assets that the operator declared as their own are left out.
 */
async function findRenamed(
  tx: Tx,
  {
    botId,
    appId,
    judged,
    found,
    nowMs,
  }: {
    botId: string;
    appId: number;
    judged: readonly KnownItem[];
    found: readonly FoundAsset[];
    nowMs: number;
  },
): Promise<Map<string, FoundAsset>> {
  const here = new Set(found.map(({ assetId }) => assetId));
  const absent = judged.filter(({ assetId }) => !here.has(assetId));
  const renamed = new Map<string, FoundAsset>();
  if (absent.length === 0) return renamed;
  const known = await listCustodyAssets(tx, { botId, appId });
  const coming = await comingClasses(tx, botId, appId);
  for (const classId of new Set(absent.map((row) => row.classId))) {
    const gone = absent.filter((row) => row.classId === classId);
    const strangers = found.filter((asset) => asset.classId === classId && !known.has(asset.assetId));
    const isLocked = gone.some(({ lockedUntilMs }) => lockedUntilMs > nowMs);
    if (isLocked || coming.has(classId) || gone.length !== strangers.length) continue;
    for (const row of gone) {
      const alike = strangers.filter((stranger) => isSameAmount(stranger, row));
      const stranger = alike[findClosestPiece(alike, row)];
      if (!stranger) continue;
      strangers.splice(strangers.indexOf(stranger), 1);
      renamed.set(row.id, stranger);
    }
  }
  return renamed;
}

/**
 * Finds the classes of assets in the bot's open deposits, and in its claims and returns that can still be
 * reversed.
 */
async function comingClasses(tx: Tx, botId: string, appId: number): Promise<Set<string>> {
  const classesOf = (which: SQL | undefined) =>
    tx
      .selectDistinct({ classId: transferItems.classId })
      .from(transfers)
      .innerJoin(transferItems, eq(transferItems.transferId, transfers.id))
      .where(and(eq(transfers.botId, botId), which, eq(transferItems.appId, appId)));
  const deposited = await classesOf(
    and(within(transfers.state, liveTransferStates), is(transfers.kind, 'deposit')),
  );
  const given = await classesOf(
    and(is(transfers.state, 'accepted'), within(transfers.kind, ['claim', 'return'])),
  );
  return new Set([...deposited, ...given].map(({ classId }) => classId));
}
