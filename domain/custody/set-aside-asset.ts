import { and, eq, isNull } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { unknownAssets } from '#db/schema/unknown-asset.ts';
import { type CustodyChange, rehearsable } from '#domain/custody/rehearse.ts';
import { botLock } from '#domain/locks.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';

/**
 * Declares an unknown asset the operator's own: it is reported no longer and never taken for a deposit's. No ledger
 * entry, because it was never in custody.
 */
export async function setAsideAsset(
  database: Database,
  asset: { botId: string; appId: number; assetId: string; isRehearsal?: boolean },
  nowMs: number,
): Promise<Outcome<{ changes: CustodyChange[] }, 'assetUnknown'>> {
  const { botId, appId, assetId, isRehearsal = false } = asset;
  type Answer = Outcome<{ changes: CustodyChange[] }, 'assetUnknown'>;
  return rehearsable<Answer>(isRehearsal, (finish) =>
    database.transaction(
      async (tx) => {
        const marked = await tx
          .update(unknownAssets)
          .set({ setAsideAtMs: nowMs })
          .where(
            and(
              eq(unknownAssets.botId, botId),
              eq(unknownAssets.appId, appId),
              eq(unknownAssets.assetId, assetId),
              isNull(unknownAssets.setAsideAtMs),
            ),
          )
          .returning({ assetId: unknownAssets.assetId });
        if (marked.length === 0) return refuse('assetUnknown');
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
