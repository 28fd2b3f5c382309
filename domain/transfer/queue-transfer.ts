import { sql } from 'drizzle-orm';
import type { Answer, Tx } from '#db/database.ts';
import { isAmong } from '#db/dialect.ts';
import { type Asset, assetFacts } from '#db/schema/asset.ts';
import { items } from '#db/schema/item.ts';
import { type TransferKind, transferItems, transferSteps, transfers } from '#db/schema/transfer.ts';
import { statement } from '#db/statement.ts';
import { insertInto, insertManyInto } from '#db/write.ts';
import { assetFactsOf } from '#domain/item/asset-facts-of.ts';
import { newId, newSecurityCode } from '#domain/kernel/id.ts';
import { type Announced, announce } from '#domain/outbox/announce.ts';

const insertTransfer = insertInto(transfers, 'transfer');
const insertAssets = insertManyInto(transferItems, 'transfer_assets');
const insertStep = insertInto(transferSteps, 'transfer_step');

/** The columns of an asset, from the items. */
const assetColumns = Object.fromEntries(
  Object.keys(assetFacts()).map((fact) => [fact, items[fact as keyof Asset]]),
);

const insertItems = statement('insert_transfer_items', (tx) =>
  tx.insert(transferItems).select(
    tx
      .select({
        transferId: sql`cast(${sql.placeholder('transferId')} as text)`.as('transfer_id'),
        ...assetColumns,
        itemId: sql`${items.id}`.as('item_id'),
        newAssetId: sql`null`.as('new_asset_id'),
        newContextId: sql`null`.as('new_context_id'),
        open: sql`true`.as('open'),
      })
      .from(items)
      .where(isAmong(items.id, sql.placeholder('itemIds'))) as never,
  ),
);

/** Items that we hold and give, or assets that the other side is asked for. */
type Contents =
  | { itemIds: readonly string[]; assets?: undefined }
  | { assets: readonly Asset[]; itemIds?: undefined };

export type TransferIntent = Contents & {
  id: string;
  kind: TransferKind;
  userId: string;
  botId: string;
  rewardId?: string;
  /** Set for a claim: the owner of the reward's rule. */
  ruleOwnerId?: string;
  /** The id of a deposit of several offers, of which this is one. */
  batchId?: string;
  partner: { steamId: string; tradeToken: string };
  /** The code that the receiver was shown before; a new one if omitted. */
  securityCode?: string | undefined;
  /** Earliest time at which an unanswered offer may be cancelled. */
  cancelNotBeforeMs?: number;
  /** Time before which it is not sent; null or omitted to send at once. */
  sendsFromMs?: number | null;
};

/**
 * Queues one offer with the exact assets it will contain and announces it together with `others`. If this transfer
 * already exists or one of its assets is in another open offer, the transaction throws a unique violation.
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
    ruleOwnerId: intent.ruleOwnerId ?? null,
    batchId: intent.batchId ?? null,
    partnerSteamId: intent.partner.steamId,
    tradeToken: intent.partner.tradeToken,
    securityCode: intent.securityCode ?? newSecurityCode(),
    cancelAtMs: intent.cancelNotBeforeMs ?? null,
    // Until it is started for the first time, this only moves later.
    runAtMs: Math.max(nowMs, intent.sendsFromMs ?? nowMs),
    sendsFromMs: intent.sendsFromMs ?? null,
    createdAtMs: nowMs,
  });
  await insertContents(tx, intent);
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

function insertContents(tx: Tx, { id, itemIds, assets }: TransferIntent): Answer<unknown> {
  if (itemIds) return insertItems(tx, { transferId: id, itemIds: JSON.stringify(itemIds) });
  return insertAssets(
    tx,
    assets.map((asset) => assetRow(id, asset)),
  );
}

const assetRow = (transferId: string, asset: Asset): typeof transferItems.$inferInsert => ({
  transferId,
  ...assetFactsOf(asset),
});
