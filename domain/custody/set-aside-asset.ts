import { and, eq, isNull } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { unknownAssets } from '#db/schema/unknown-asset.ts';
import { type CustodyChange, rehearsable } from '#domain/custody/rehearse.ts';
import { isAwaited, isTaken } from '#domain/custody/spoken-for.ts';
import { botLock } from '#domain/kernel/locks.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';

type SetAsideRefusal = 'assetUnknown' | 'assetTaken' | 'depositOpen';

/**
 * Records that an unknown asset is the operator's own: it is no longer reported and never taken for a
 * deposited one. There is no ledger entry, because it was never in custody. Refused for an asset that is or
 * may become an item's.
 */
export async function setAsideAsset(
  db: Database,
  asset: { botId: string; appId: number; assetId: string; isRehearsal?: boolean },
  nowMs: number,
): Promise<Outcome<{ changes: CustodyChange[] }, SetAsideRefusal>> {
  const { botId, appId, assetId, isRehearsal = false } = asset;
  type Answer = Outcome<{ changes: CustodyChange[] }, SetAsideRefusal>;
  return rehearsable<Answer>(isRehearsal, (finish) =>
    db.transaction(
      async (tx) => {
        const named = and(
          eq(unknownAssets.botId, botId),
          eq(unknownAssets.appId, appId),
          eq(unknownAssets.assetId, assetId),
          isNull(unknownAssets.setAsideAtMs),
        );
        const [found] = await tx.select().from(unknownAssets).where(named);
        if (!found) return refuse('assetUnknown');
        if (await isTaken(tx, found)) return refuse('assetTaken');
        if (await isAwaited(tx, found)) return refuse('depositOpen');
        await tx.update(unknownAssets).set({ setAsideAtMs: nowMs }).where(named);
        return finish(
          done({
            changes: [{ subject: 'asset', id: assetId, from: 'unknown', to: 'the operator’s own' }],
          }),
        );
      },
      { lock: botLock(botId) },
    ),
  );
}
