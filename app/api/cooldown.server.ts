import type { Database } from '#db/database.ts';
import { findUnlock } from '#domain/item/find-unlock.ts';
import type { KindAmount } from '#domain/item/oldest-of-kind.ts';
import type { FaultText } from './failure.ts';

/**
 * Describes a refusal of items that only the lock after their deposit holds back: which items, and until
 * when.
 */
export async function cooldownText(
  db: Database,
  asked: { ownerId: string; kinds: readonly KindAmount[] },
  nowMs: number,
): Promise<FaultText | undefined> {
  const lock = await findUnlock(db.read, asked.ownerId, asked.kinds, nowMs);
  if (!lock) return undefined;
  const values = { item: lock.name, date: new Date(lock.untilMs).toISOString() };
  return { key: 'errors.trade.inCooldown', values };
}
