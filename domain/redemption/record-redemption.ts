import { eq } from 'drizzle-orm';
import type { Database, Reader } from '#db/database.ts';
import { customRewards, type RefundReason, redemptions } from '#db/schema/redemption.ts';
import { rules } from '#db/schema/rule.ts';
import { addToDay } from '#domain/channel/count-day.ts';
import { type ChannelTx, channelLock } from '#domain/kernel/locks.ts';
import { done, type Outcome, refuse } from '#domain/kernel/outcome.ts';
import { advanceRedemption } from '#domain/redemption/advance-redemption.ts';
import { announceRedemption } from '#domain/redemption/announce-redemption.ts';
import { promiseForPoints } from '#domain/redemption/promise-for-points.ts';
import {
  eventOfStatus,
  redemptionMachine,
  type TwitchRedemptionStatus,
} from '#domain/redemption/redemption-machine.ts';

/** A redemption as reported by Twitch in an event, a list or a response. */
export interface ReportedRedemption {
  id: string;
  twitchRewardId: string;
  twitchId: string;
  redeemedAtMs: number;
  status: TwitchRedemptionStatus;
}

export type RecordedRedemption = Outcome<
  /**
   * `first` means that this report decided the redemption. Otherwise it was known, and this report at most
   * ended it.
   */
  { first: boolean; rewardId: string | null; refundReason: RefundReason | null },
  'rewardUnknown' | 'undecided'
>;

/**
 * Records a redemption reported by Twitch; reports may repeat and arrive in any order. The first report decides under
 * the channel lock: a reward is promised, or the points are queued for a refund with a reason. Later reports only end
 * the redemption, or reopen it if its assumed end was wrong. Refused when its custom reward is not ours or not known
 * yet. With `decides` false a first report stays undecided, because older redemptions may have to be decided first;
 * refunds do not depend on order.
 */
export async function recordRedemption(
  db: Database,
  reported: ReportedRedemption,
  nowMs: number,
  { decides = true } = {},
): Promise<RecordedRedemption> {
  const place = await placeOf(db.read, reported);
  if (!place) return refuse('rewardUnknown');
  return db.transaction(
    async (tx) => {
      const [known] = await tx.select().from(redemptions).where(eq(redemptions.id, reported.id));
      const event = eventOfStatus[reported.status];
      if (!known && !decides && event !== 'refunded') return refuse('undecided');
      if (!known) return done({ first: true, ...(await decide(tx, { ...reported, ...place }, nowMs)) });
      if (known.missedPolls > 0) await reopen(tx, reported.id, nowMs);
      if (event) await advanceRedemption(tx, reported.id, event, nowMs);
      return done({ first: false, rewardId: known.rewardId, refundReason: known.refundReason });
    },
    { lock: channelLock(place.channelId) },
  );
}

/** Twitch knows the redemption, so an end assumed from its absence was wrong. An open redemption stays open. */
async function reopen(tx: ChannelTx, id: string, nowMs: number): Promise<void> {
  await advanceRedemption(tx, id, 'reopened', nowMs);
  await tx.update(redemptions).set({ missedPolls: 0 }).where(eq(redemptions.id, id));
}

/**
 * A custom reward deleted by hand may have been replaced, so a known redemption finds its rule through its own row.
 */
async function placeOf(
  q: Reader,
  reported: ReportedRedemption,
): Promise<{ ruleId: string; channelId: string } | null> {
  const columns = { ruleId: rules.id, channelId: rules.channelId };
  const [known] = await q
    .select(columns)
    .from(redemptions)
    .innerJoin(rules, eq(rules.id, redemptions.ruleId))
    .where(eq(redemptions.id, reported.id));
  if (known) return known;
  const [place] = await q
    .select(columns)
    .from(customRewards)
    .innerJoin(rules, eq(rules.id, customRewards.ruleId))
    .where(eq(customRewards.twitchRewardId, reported.twitchRewardId));
  return place ?? null;
}

/** A redemption refunded before we saw it needs no decision; a fulfilled one is decided like any other. */
async function decide(
  tx: ChannelTx,
  reported: ReportedRedemption & { ruleId: string; channelId: string },
  nowMs: number,
): Promise<{ rewardId: string | null; refundReason: RefundReason | null }> {
  const { id, ruleId, twitchId, redeemedAtMs, status } = reported;
  const event = eventOfStatus[status];
  const ended = event && redemptionMachine.next('open', event);
  const promise =
    ended === 'refunded' ? { rewardId: null, refusedFor: null } : await promiseForPoints(tx, reported, nowMs);
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
  const { channelId } = reported;
  await addToDay(tx, { channelId, atMs: redeemedAtMs, redeemed: 1, refunded: ended === 'refunded' ? 1 : 0 });
  await announceRedemption(tx, reported, nowMs);
  return { rewardId: promise.rewardId, refundReason };
}
