import { and, eq, exists, isNotNull, notExists, or, type SQL, sql } from 'drizzle-orm';
import type { Database, Reader } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { transfers } from '#db/schema/transfer.ts';
import { users } from '#db/schema/user.ts';
import { outstandingStates } from '#domain/transfer/open-offers.ts';
import { transferTransaction } from '#domain/transfer/transfer-lock.ts';
import { underWay } from '#domain/transfer/under-way.ts';
import { withdrawTransfer } from '#domain/transfer/withdraw-transfer.ts';

/** In the timeline of a transfer: its rule, or its owner's account, was frozen. */
const FROZEN = 'frozen';

/** The claim's rule, if it is frozen. */
const frozenRule = (q: Reader) =>
  q
    .select({ one: sql`1` })
    .from(rewards)
    .innerJoin(rules, and(eq(rules.id, rewards.ruleId), isNotNull(rules.frozenAtMs)))
    .where(and(eq(rewards.id, transfers.rewardId), is(transfers.kind, 'claim')));

/** The account whose items a return gives back, if it is frozen. */
const frozenOwner = (q: Reader) =>
  q
    .select({ one: sql`1` })
    .from(users)
    .where(and(eq(users.id, transfers.userId), isNotNull(users.frozenAtMs), is(transfers.kind, 'return')));

/** Leaves out claims of frozen rules and returns of frozen accounts, in a query over transfers. */
export const notFrozen = (q: Reader): SQL | undefined =>
  and(notExists(frozenRule(q)), notExists(frozenOwner(q)));

/**
 * Asks for the cancellation of a bot's offers that may be on Steam and that a freeze is to keep from being accepted. What
 * is still queued stays so. Asking again changes nothing, so it does not matter where this was interrupted.
 */
export async function withdrawFrozen(
  database: Database,
  { botId }: { botId: string },
  nowMs: number,
): Promise<void> {
  const q = database.read;
  const frozen = await q
    .select({ id: transfers.id })
    .from(transfers)
    .where(
      and(
        eq(transfers.botId, botId),
        underWay(outstandingStates),
        eq(transfers.cancelWanted, false),
        or(exists(frozenRule(q)), exists(frozenOwner(q))),
      ),
    );
  for (const { id } of frozen)
    await transferTransaction(database, id, (tx) => withdrawTransfer(tx, id, { reason: FROZEN }, nowMs));
}
