import { and, eq } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { steamAccounts } from '#db/schema/account.ts';
import { items } from '#db/schema/item.ts';
import { unknownAssets } from '#db/schema/unknown-asset.ts';
import { type CustodyChange, rehearsable } from '#domain/custody/rehearse.ts';
import { isAwaited, isTaken } from '#domain/custody/spoken-for.ts';
import { advanceItem, holderName, recordLedgerEntry } from '#domain/item/advance-item.ts';
import { lockedUntil } from '#domain/item/locked-until.ts';
import { newId } from '#domain/kernel/id.ts';
import { botLock } from '#domain/kernel/locks.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { announce } from '#domain/outbox/announce.ts';

export type AdoptRefusal =
  | 'assetUnknown'
  | 'assetTaken'
  | 'depositOpen'
  | 'itemNotFound'
  | 'itemNotMissing'
  | 'anotherKind'
  | 'steamNotLinked';

type UnknownAsset = typeof unknownAssets.$inferSelect;

export interface Adoption {
  botId: string;
  appId: number;
  assetId: string;
  /** The missing item that this asset is, or the account that it now belongs to. */
  to: { itemId: string } | { ownerId: string };
  isRehearsal?: boolean;
}

/**
 * Takes an unknown asset into custody on the operator's word: as a missing item under another id, or as a new item of
 * an account, locked like a deposit. Refused for an asset that the bot did not report, that is or may become another
 * item's, or that is of another class than the missing item or has another number of pieces.
 */
export async function adoptAsset(
  db: Database,
  { botId, appId, assetId, to, isRehearsal = false }: Adoption,
  nowMs: number,
): Promise<Outcome<{ itemId: string; changes: CustodyChange[] }, AdoptRefusal>> {
  type Answer = Outcome<{ itemId: string; changes: CustodyChange[] }, AdoptRefusal>;
  return rehearsable<Answer>(isRehearsal, (finish) =>
    db.transaction(
      async (tx) => {
        const [asset] = await tx
          .select()
          .from(unknownAssets)
          .where(
            and(
              eq(unknownAssets.botId, botId),
              eq(unknownAssets.appId, appId),
              eq(unknownAssets.assetId, assetId),
            ),
          );
        if (!asset) return refuse('assetUnknown');
        if (await isTaken(tx, asset)) return refuse('assetTaken');
        if (await isAwaited(tx, asset)) return refuse('depositOpen');
        const adopted =
          'itemId' in to
            ? await restore(tx, asset, to.itemId, nowMs)
            : await take(tx, asset, to.ownerId, nowMs);
        if (!adopted.ok) return adopted;
        await tx
          .delete(unknownAssets)
          .where(
            and(
              eq(unknownAssets.botId, botId),
              eq(unknownAssets.appId, appId),
              eq(unknownAssets.assetId, assetId),
            ),
          );
        return finish(adopted);
      },
      { lock: botLock(botId) },
    ),
  );
}

type Adopted = Outcome<{ itemId: string; changes: CustodyChange[] }, AdoptRefusal>;

async function restore(tx: Tx, asset: UnknownAsset, itemId: string, nowMs: number): Promise<Adopted> {
  const [item] = await tx.select().from(items).where(eq(items.id, itemId));
  if (!item) return refuse('itemNotFound');
  if (item.state !== 'missing') return refuse('itemNotMissing');
  const { botId, appId, classId, assetId, contextId, amount } = asset;
  const isOne = item.botId === botId && item.appId === appId && item.classId === classId;
  if (!isOne || item.amount !== amount) return refuse('anotherKind');
  const step = { event: 'found', cause: 'operator', patch: { assetId, contextId } } as const;
  if (!(await advanceItem(tx, itemId, step, nowMs))) return refuse('itemNotMissing');
  await announce(tx, [{ userId: item.ownerId, kind: 'items.changed', subjectId: itemId }], nowMs);
  return done({
    itemId,
    changes: [{ subject: 'item', id: itemId, from: 'missing', to: `held as asset ${assetId}` }],
  });
}

async function take(tx: Tx, asset: UnknownAsset, ownerId: string, nowMs: number): Promise<Adopted> {
  const [steam] = await tx
    .select({ steamId: steamAccounts.steamId })
    .from(steamAccounts)
    .where(eq(steamAccounts.userId, ownerId));
  if (!steam) return refuse('steamNotLinked');
  const { firstSeenAtMs, lastSeenAtMs, setAsideAtMs, botId, ...facts } = asset;
  const itemId = newId(nowMs);
  await tx.insert(items).values({
    ...facts,
    id: itemId,
    ownerId,
    botId,
    state: 'held',
    lockedUntilMs: lockedUntil(nowMs),
    depositorSteamId: steam.steamId,
    receivedAtMs: nowMs,
  });
  await recordLedgerEntry(tx, {
    id: newId(nowMs),
    itemId,
    fromHolder: 'outside',
    toHolder: holderName('held', botId),
    cause: 'operator',
    transferId: null,
    atMs: nowMs,
  });
  await announce(tx, [{ userId: ownerId, kind: 'items.changed', subjectId: itemId }], nowMs);
  return done({
    itemId,
    changes: [{ subject: 'asset', id: asset.assetId, from: 'unknown', to: `held item ${itemId}` }],
  });
}
