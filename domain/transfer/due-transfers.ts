import { and, asc, eq, inArray, lte, notExists, notInArray, or, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is } from '#db/dialect.ts';
import { redemptions } from '#db/schema/redemption.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { type TransferKind, transfers } from '#db/schema/transfer.ts';
import { hasRevocableCondition } from '#domain/condition/conditions.ts';
import { unclearItem } from '#domain/transfer/hold-back.ts';
import { notFrozen } from '#domain/transfer/not-frozen.ts';
import type { CountedOffers } from '#domain/transfer/open-offers.ts';
import { underWay } from '#domain/transfer/under-way.ts';

/** Kinds of transfer by which we give items. Deposits follow other rules (`dueDeposits`). */
export const givenKinds = ['claim', 'return'] as const satisfies readonly TransferKind[];
type GivenKind = (typeof givenKinds)[number];

/**
 * Selects a bot's queued claims or returns that could be sent now if there is a place for them. Leaves out:
 * transfers with a requested cancellation or with an item that differs from the ledger, claims whose points
 * were refunded, claims whose conditions must be rechecked unless listed in `checkedClaims`, frozen ones, and
 * receivers who have as many offers as Steam allows.
 */
export const dueTransfers = (
  q: Reader,
  {
    botId,
    kind,
    checkedClaims,
    open,
  }: { botId: string; kind: GivenKind; checkedClaims: readonly string[]; open: CountedOffers },
  nowMs: number,
) =>
  q
    .select()
    .from(transfers)
    .where(
      and(
        eq(transfers.botId, botId),
        underWay(['queued']),
        is(transfers.kind, kind),
        eq(transfers.cancelWanted, false),
        lte(transfers.runAtMs, nowMs),
        or(inArray(transfers.id, [...checkedClaims]), notExists(ruleToRecheck(q))),
        notExists(refundOfClaim(q)),
        notExists(unclearItem(q)),
        notFrozen(q),
        // One partner's long queue must not block the others.
        notInArray(transfers.partnerSteamId, open.fullPartners()),
      ),
    )
    .orderBy(asc(transfers.runAtMs), asc(transfers.id))
    .limit(100);

/** The claim's rule, if it has a condition that may no longer be met since the promise. */
const ruleToRecheck = (q: Reader) =>
  q
    .select({ one: sql`1` })
    .from(rewards)
    .innerJoin(rules, and(eq(rules.id, rewards.ruleId), hasRevocableCondition()))
    .where(and(eq(rewards.id, transfers.rewardId), is(transfers.kind, 'claim')));

/**
 * A refunded redemption of the claim. It blocks even a claim that was just checked: the refund may have arrived
 * during a failed send.
 */
const refundOfClaim = (q: Reader) =>
  q
    .select({ one: sql`1` })
    .from(redemptions)
    .where(and(eq(redemptions.rewardId, transfers.rewardId), is(redemptions.state, 'refunded')));
