import { eq } from 'drizzle-orm';
import type { Database, Reader, Tx } from '#db/database.ts';
import { customRewards, type RefundReason, redemptions } from '#db/schema/redemption.ts';
import { rules } from '#db/schema/rule.ts';
import { done, type Outcome, refuse } from '#domain/outcome.ts';
import { advanceRedemption } from '#domain/redemption/advance-redemption.ts';
import { announceRedemption } from '#domain/redemption/announce-redemption.ts';
import { promiseForPoints } from '#domain/redemption/promise-for-points.ts';
import {
  eventOfStatus,
  redemptionMachine,
  type TwitchRedemptionStatus,
} from '#domain/redemption/redemption-machine.ts';
import { channelLock } from '#domain/reward/serve-waiting.ts';

/** One redemption as Twitch tells it, in an event, a list, or an answer. */
export interface ReportedRedemption {
  id: string;
  twitchRewardId: string;
  twitchId: string;
  redeemedAtMs: number;
  status: TwitchRedemptionStatus;
}

export type RecordedRedemption = Outcome<
  /** `first`: it was decided now; otherwise it was known, and at most ended. */
  { first: boolean; rewardId: string | null; refundReason: RefundReason | null },
  'rewardUnknown' | 'undecided'
>;

/**
 * Takes in what Twitch tells of a redemption, however often and in whatever order. The first telling decides, under the
 * channel's lock: a reward is promised, or the points are to be given back and it says why. Later tellings only end it,
 * and open it again when its end was believed and is not so. Refused when its custom reward is none of ours, or not known
 * yet. With `decides` false a first telling is left undecided, as older ones may have to come before it; that points were
 * given back is no matter of order.
 */
export async function recordRedemption(
  database: Database,
  told: ReportedRedemption,
  nowMs: number,
  { decides = true } = {},
): Promise<RecordedRedemption> {
  const place = await placeOf(database.read, told);
  if (!place) return refuse('rewardUnknown');
  return database.transaction(
    async (tx) => {
      const [known] = await tx.select().from(redemptions).where(eq(redemptions.id, told.id));
      const event = eventOfStatus[told.status];
      if (!known && !decides && event !== 'refunded') return refuse('undecided');
      if (!known)
        return done({ first: true, ...(await decide(tx, { ...told, ruleId: place.ruleId }, nowMs)) });
      if (known.missedPolls > 0) await hearAgain(tx, told.id, nowMs);
      if (event) await advanceRedemption(tx, told.id, event, nowMs);
      return done({ first: false, rewardId: known.rewardId, refundReason: known.refundReason });
    },
    { lock: channelLock(place.channelId) },
  );
}

/** Twitch knows it after all: what we took its silence for is no end. One that is open stays so. */
async function hearAgain(tx: Tx, id: string, nowMs: number): Promise<void> {
  await advanceRedemption(tx, id, 'reopened', nowMs);
  await tx.update(redemptions).set({ missedPolls: 0 }).where(eq(redemptions.id, id));
}

/** A custom reward that was deleted by hand may have been replaced: its redemptions still know their rule. */
async function placeOf(
  q: Reader,
  told: ReportedRedemption,
): Promise<{ ruleId: string; channelId: string } | null> {
  const columns = { ruleId: rules.id, channelId: rules.channelId };
  const [known] = await q
    .select(columns)
    .from(redemptions)
    .innerJoin(rules, eq(rules.id, redemptions.ruleId))
    .where(eq(redemptions.id, told.id));
  if (known) return known;
  const [place] = await q
    .select(columns)
    .from(customRewards)
    .innerJoin(rules, eq(rules.id, customRewards.ruleId))
    .where(eq(customRewards.twitchRewardId, told.twitchRewardId));
  return place ?? null;
}

/** What was given back before it was heard of needs no decision; what was kept is promised for like any other. */
async function decide(
  tx: Tx,
  told: ReportedRedemption & { ruleId: string },
  nowMs: number,
): Promise<{ rewardId: string | null; refundReason: RefundReason | null }> {
  const { id, ruleId, twitchId, redeemedAtMs, status } = told;
  const event = eventOfStatus[status];
  const ended = event && redemptionMachine.next('open', event);
  const promise =
    ended === 'refunded' ? { rewardId: null, refusedFor: null } : await promiseForPoints(tx, told, nowMs);
  const refundReason = ended ? null : promise.refusedFor;
  await tx.insert(redemptions).values({
    id,
    ruleId,
    twitchId,
    redeemedAtMs,
    rewardId: promise.rewardId,
    refundReason,
    ...(ended && { state: ended, endedAtMs: nowMs }),
    ...(refundReason && { settlement: 'refund' }),
  });
  await announceRedemption(tx, told, nowMs);
  return { rewardId: promise.rewardId, refundReason };
}
