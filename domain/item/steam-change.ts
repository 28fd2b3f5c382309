import { and, eq, gt, ne, sql } from 'drizzle-orm';
import type { Reader, Tx } from '#db/database.ts';
import { listOf } from '#db/dialect.ts';
import { steamAccounts } from '#db/schema/account.ts';
import { items } from '#db/schema/item.ts';
import { day } from '#domain/time.ts';

/**
 * After a streamer connects another Steam account, items go back only to the account that deposited them, and onto no
 * rule, for this long: whoever took over the account gives its owner time to notice.
 */
export const STEAM_CHANGE_QUARANTINE_MS = 7 * day;

/** Whether any of these items was deposited by another Steam account than the one its owner connected lately. */
export async function heldBackAfterChange(
  q: Reader | Tx,
  { ownerId, itemIds }: { ownerId: string; itemIds: readonly string[] },
  nowMs: number,
): Promise<boolean> {
  const [held] = await q
    .select({ id: items.id })
    .from(items)
    .innerJoin(
      steamAccounts,
      and(eq(steamAccounts.userId, ownerId), ne(steamAccounts.steamId, items.depositorSteamId)),
    )
    .where(
      and(
        sql`${items.id} in (select value from ${listOf(itemIds, 'meant')})`,
        gt(steamAccounts.linkedAtMs, nowMs - STEAM_CHANGE_QUARANTINE_MS),
      ),
    )
    .limit(1);
  return held !== undefined;
}
