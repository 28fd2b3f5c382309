import type { Tx } from '#db/database.ts';
import type { Asset } from '#db/schema/asset.ts';
import { type TransferKind, transferItems, transferSteps, transfers } from '#db/schema/transfer.ts';
import { insertInto, insertManyInto } from '#db/write.ts';
import { newId, newSecurityCode } from '#domain/id.ts';
import { type Announced, announce } from '#domain/outbox/announce.ts';

const insertTransfer = insertInto(transfers, 'transfer');
const insertItems = insertManyInto(transferItems, 'transfer_items');
const insertStep = insertInto(transferSteps, 'transfer_step');

export interface TransferIntent {
  id: string;
  kind: TransferKind;
  userId: string;
  botId: string;
  rewardId?: string;
  partner: { steamId: string; tradeToken: string };
  assets: readonly (Asset & { itemId?: string })[];
  /** Earliest time at which an unanswered offer may be cancelled. */
  cancelNotBeforeMs?: number;
}

/**
 * Queues one offer with the exact assets it will contain and announces it together with `others`. Throws a unique
 * violation if this transfer already exists or one of its assets is in another open offer.
 */
export async function queueTransfer(
  tx: Tx,
  intent: TransferIntent,
  nowMs: number,
  others: readonly Announced[] = [],
): Promise<void> {
  await insertTransfer(tx, {
    id: intent.id,
    kind: intent.kind,
    userId: intent.userId,
    botId: intent.botId,
    rewardId: intent.rewardId ?? null,
    partnerSteamId: intent.partner.steamId,
    tradeToken: intent.partner.tradeToken,
    securityCode: newSecurityCode(),
    cancelAtMs: intent.cancelNotBeforeMs ?? null,
    runAtMs: nowMs,
    createdAtMs: nowMs,
  });
  await insertItems(
    tx,
    intent.assets.map((asset) => assetRow(intent.id, asset)),
  );
  await insertStep(tx, {
    id: newId(nowMs),
    transferId: intent.id,
    state: 'queued',
    event: 'requested',
    atMs: nowMs,
  });
  const queued: Announced = { userId: intent.userId, kind: 'transfer.changed', subjectId: intent.id };
  await announce(tx, [...others, queued], nowMs);
}

function assetRow(transferId: string, asset: Asset & { itemId?: string }): typeof transferItems.$inferInsert {
  return {
    transferId,
    appId: asset.appId,
    contextId: asset.contextId,
    assetId: asset.assetId,
    classId: asset.classId,
    instanceId: asset.instanceId,
    marketHashName: asset.marketHashName,
    name: asset.name,
    iconUrl: asset.iconUrl,
    typeLine: asset.typeLine,
    typeTag: asset.typeTag,
    rarityTag: asset.rarityTag,
    rarityColor: asset.rarityColor,
    exterior: asset.exterior,
    itemId: asset.itemId ?? null,
  };
}
