import { and, eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { items } from '#db/schema/item.ts';
import { type TransferState, transferItems, type transfers } from '#db/schema/transfer.ts';
import { statement } from '#db/statement.ts';
import { advanceItem, holderName, recordLedgerEntry } from '#domain/item/advance-item.ts';
import type { ItemEvent } from '#domain/item/item-machine.ts';
import { lockedUntil } from '#domain/item/locked-until.ts';
import { notifyOfUnlock } from '#domain/item/notify-of-unlock.ts';
import { newId } from '#domain/kernel/id.ts';
import { announce } from '#domain/outbox/announce.ts';
import { queuePushes } from '#domain/push/queue-pushes.ts';
import { endRewardWithDeposit } from '#domain/reward/end-with-deposit.ts';
import { extendClaimWindow, holdClaimWindow } from '#domain/reward/extend-claim-window.ts';
import { holdBackTransfer } from '#domain/transfer/hold-back.ts';
import { wasTakenBack } from '#domain/transfer/offer-limits.ts';
import { ownDelayMs } from '#domain/transfer/own-delay.ts';
import { rewardDelivered, rewardReversed, rewardUndelivered } from '#domain/transfer/settle-claim.ts';
import { claimTx, type TransferTx } from '#domain/transfer/transfer-lock.ts';

type Transfer = typeof transfers.$inferSelect;
/** One exchanged asset. Steam assigns a new asset id with every trade. */
export interface MovedAsset {
  appId: number;
  assetId: string;
  newAssetId: string;
  newContextId: string;
  /** Time at which Steam's Trade Protection ends for the receiver. */
  protectedUntilMs?: number;
}
export type AssetId = Pick<MovedAsset, 'appId' | 'assetId'>;
/** The event's facts about the transfer's assets. */
interface Assets {
  moved: readonly MovedAsset[];
  stayed: readonly AssetId[];
  /** The reason of the event, one of our own codes. */
  error?: string | undefined;
  /** The cause in the ledger, if it is not the transfer itself. */
  cause?: string | undefined;
}
type Effect<T extends Tx> = (tx: T, transfer: Transfer, assets: Assets, nowMs: number) => Promise<void>;

const nothing: Effect<Tx> = async () => {};

/**
 * Updates items and the reward when a transfer enters each state. An effect that moves a reward requires a
 * `TransferTx`.
 */
export const transferEffects = {
  queued: (tx: Tx, { id }, _assets, nowMs) => holdBackTransfer(tx, id, nowMs),
  sending: nothing,
  uncertain: nothing,
  unconfirmed: nothing,
  sent: notifyOfOffer,
  escrowed: nothing,
  accepted: changedHands,
  settled: (tx: Tx, transfer, assets, nowMs) => passItems(tx, transfer, 'settled', assets, nowMs),
  reversed: cameBack,
  declined: endedUndelivered,
  expired: endedUndelivered,
  cancelled: endedUndelivered,
  failed: endedUndelivered,
} satisfies Record<TransferState, Effect<TransferTx>>;

/** From now on the viewer of a claim can see the offer. */
async function notifyOfOffer(
  tx: Tx,
  { id: subjectId, userId, rewardId }: Transfer,
  _assets: Assets,
  nowMs: number,
): Promise<void> {
  if (rewardId) await queuePushes(tx, [{ userId, event: 'offerSent', rewardId, subjectId }], nowMs);
}

const readTransferItems = statement('transfer_items', (tx) =>
  tx
    .select()
    .from(transferItems)
    .where(eq(transferItems.transferId, sql.placeholder('transferId'))),
);

const closeOffer = (tx: Tx, transferId: string) =>
  tx.update(transferItems).set({ open: false }).where(eq(transferItems.transferId, transferId));

/** Applies an event to every item of a claim or return. A deposit has no item rows before it is accepted. */
async function passItems(
  tx: Tx,
  transfer: Transfer,
  event: ItemEvent,
  { cause = transfer.kind }: Assets,
  nowMs: number,
): Promise<void> {
  if (transfer.kind === 'deposit') return;
  for (const { itemId } of await readTransferItems(tx, { transferId: transfer.id }))
    if (itemId) await advanceItem(tx, itemId, { event, cause, transferId: transfer.id }, nowMs);
}

async function endedUndelivered(
  tx: TransferTx,
  transfer: Transfer,
  assets: Assets,
  nowMs: number,
): Promise<void> {
  await closeOffer(tx, transfer.id);
  await passItems(tx, transfer, 'offerEnded', assets, nowMs);
  if (!transfer.rewardId) return;
  const delayMs = await ownDelayMs(tx, transfer, nowMs);
  if (delayMs > 0) await extendClaimWindow(tx, transfer.rewardId, delayMs);
  // The offer would have stayed open until then if nobody else had needed its place.
  if (wasTakenBack(transfer)) await holdClaimWindow(tx, transfer.rewardId, transfer.cancelAtMs ?? nowMs);
  await rewardUndelivered(claimTx(tx), transfer.rewardId, nowMs);
}

async function changedHands(
  tx: TransferTx,
  transfer: Transfer,
  assets: Assets,
  nowMs: number,
): Promise<void> {
  await closeOffer(tx, transfer.id);
  await recordNewIds(tx, transfer.id, assets.moved);
  if (transfer.kind === 'deposit') await receiveDeposit(tx, transfer, assets, nowMs);
  else await passItems(tx, transfer, 'delivered', assets, nowMs);
  if (transfer.rewardId) await rewardDelivered(claimTx(tx), transfer.rewardId, nowMs);
}

async function recordNewIds(tx: Tx, transferId: string, moved: readonly MovedAsset[]): Promise<void> {
  for (const asset of moved)
    await tx
      .update(transferItems)
      .set({ newAssetId: asset.newAssetId, newContextId: asset.newContextId })
      .where(
        and(
          eq(transferItems.transferId, transferId),
          eq(transferItems.appId, asset.appId),
          eq(transferItems.assetId, asset.assetId),
        ),
      );
}

/** Creates the items of an accepted deposit as held and locked, under the asset ids Steam assigned. */
async function receiveDeposit(
  tx: Tx,
  transfer: Transfer,
  { moved, cause = 'deposit' }: Assets,
  nowMs: number,
): Promise<void> {
  const arrived = new Map(moved.map((asset) => [`${asset.appId}/${asset.assetId}`, asset]));
  let unlockMs = nowMs;
  for (const wanted of await readTransferItems(tx, { transferId: transfer.id })) {
    const asset = arrived.get(`${wanted.appId}/${wanted.assetId}`);
    if (!asset) throw new Error(`deposit ${transfer.id} was accepted without asset ${wanted.assetId}`);
    const { transferId, itemId, newAssetId, newContextId, open, ...facts } = wanted;
    const id = newId(nowMs);
    const lockedUntilMs = lockedUntil(nowMs, asset.protectedUntilMs);
    unlockMs = Math.max(unlockMs, lockedUntilMs);
    await tx.insert(items).values({
      ...facts,
      id,
      ownerId: transfer.userId,
      botId: transfer.botId,
      assetId: asset.newAssetId,
      contextId: asset.newContextId,
      state: 'held',
      lockedUntilMs,
      depositorSteamId: transfer.partnerSteamId,
      receivedAtMs: nowMs,
    });
    await tx
      .update(transferItems)
      .set({ itemId: id })
      .where(
        and(
          eq(transferItems.transferId, transfer.id),
          eq(transferItems.appId, wanted.appId),
          eq(transferItems.assetId, wanted.assetId),
        ),
      );
    await recordLedgerEntry(tx, {
      id: newId(nowMs),
      itemId: id,
      fromHolder: 'outside',
      toHolder: holderName('held', transfer.botId),
      cause,
      transferId: transfer.id,
      atMs: nowMs,
    });
  }
  await notifyOfUnlock(tx, { userId: transfer.userId, transferId: transfer.id, unlockMs }, nowMs);
  await announce(tx, [{ userId: transfer.userId, kind: 'items.changed', subjectId: transfer.id }], nowMs);
}

/**
 * Trade Protection or Steam's Support reversed the trade: items we gave are held again, and deposited ones
 * leave custody, which ends their rewards. Items that stayed are final.
 */
async function cameBack(
  tx: TransferTx,
  transfer: Transfer,
  { moved, stayed }: Assets,
  nowMs: number,
): Promise<void> {
  const back = new Map(moved.map((asset) => [`${asset.appId}/${asset.assetId}`, asset]));
  const event = transfer.kind === 'deposit' ? 'depositReversed' : 'reversed';
  for (const row of await readTransferItems(tx, { transferId: transfer.id })) {
    if (!row.itemId) continue;
    if (stayed.some(({ appId, assetId }) => appId === row.appId && assetId === row.assetId)) {
      const final = { event: 'settled', cause: transfer.kind, transferId: transfer.id } as const;
      if (transfer.kind !== 'deposit') await advanceItem(tx, row.itemId, final, nowMs);
      continue;
    }
    const asset = back.get(`${row.appId}/${row.newAssetId ?? row.assetId}`);
    const patch = asset && {
      assetId: asset.newAssetId,
      contextId: asset.newContextId,
      ...(asset.protectedUntilMs && { lockedUntilMs: asset.protectedUntilMs }),
    };
    const step = { event, cause: 'reversal', transferId: transfer.id, ...(patch && { patch }) } as const;
    await advanceItem(tx, row.itemId, step, nowMs);
    if (transfer.kind === 'deposit') await endRewardWithDeposit(claimTx(tx), row.itemId, nowMs);
  }
  if (transfer.rewardId) await rewardReversed(claimTx(tx), transfer.rewardId, nowMs);
}
