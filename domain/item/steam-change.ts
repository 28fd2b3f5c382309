import { and, eq, gt, isNotNull, isNull, ne, or } from 'drizzle-orm';
import type { Reader, Tx } from '#db/database.ts';
import { isAmong } from '#db/dialect.ts';
import { steamAccounts } from '#db/schema/account.ts';
import { items } from '#db/schema/item.ts';
import { mails } from '#db/schema/outbox.ts';
import { users } from '#db/schema/user.ts';
import { day } from '#domain/kernel/time.ts';

/**
 * For this long after a streamer was mailed that they connected another Steam account, items go back only to
 * the account that deposited them, and onto no rule. So the owner has time to notice if somebody else took
 * over the account. A change of the address starts the time again, because later mail goes to the new one.
 */
const QUARANTINE_MS = 7 * day;
/** The time ends after this at the latest, even if no mail is sent; mails are stored until then. */
const LONGEST_QUARANTINE_MS = 30 * day;

/**
 * Returns whether any of these items was deposited by another Steam account than the one its owner connected
 * lately.
 */
export async function heldBackAfterChange(
  q: Reader | Tx,
  { ownerId, itemIds }: { ownerId: string; itemIds: readonly string[] },
  nowMs: number,
): Promise<boolean> {
  const sinceMs = nowMs - QUARANTINE_MS;
  const isLate = or(
    gt(steamAccounts.linkedAtMs, sinceMs),
    gt(users.emailVerifiedAtMs, sinceMs),
    // Connections from before this rule have no recorded mail.
    and(isNotNull(steamAccounts.noticeMailId), or(isNull(mails.sentAtMs), gt(mails.sentAtMs, sinceMs))),
  );
  const [held] = await q
    .select({ id: items.id })
    .from(items)
    .innerJoin(
      steamAccounts,
      and(eq(steamAccounts.userId, ownerId), ne(steamAccounts.steamId, items.depositorSteamId)),
    )
    .innerJoin(users, eq(users.id, steamAccounts.userId))
    .leftJoin(mails, eq(mails.id, steamAccounts.noticeMailId))
    .where(
      and(isAmong(items.id, itemIds), gt(steamAccounts.linkedAtMs, nowMs - LONGEST_QUARANTINE_MS), isLate),
    )
    .limit(1);
  return held !== undefined;
}
