import { eq, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { channels } from '#db/schema/channel.ts';
import { redemptions } from '#db/schema/redemption.ts';
import { rewards } from '#db/schema/reward.ts';
import { type RevocableCondition, rules, type SubscriberTier } from '#db/schema/rule.ts';
import { transfers } from '#db/schema/transfer.ts';
import { recordFollow } from '#domain/channel/record-follow.ts';
import { recordSubscriber } from '#domain/channel/record-subscriber.ts';
import {
  conditionColumns,
  conditionProgress,
  type ListedCondition,
  listedConditions,
  listReadAtMs,
  viewerFacts,
} from '#domain/condition/conditions.ts';
import { missingStreamerScopes, pointsScope } from '#domain/identity/twitch/twitch-scopes.ts';
import { day } from '#domain/kernel/time.ts';
import { advanceRedemption } from '#domain/redemption/advance-redemption.ts';
import { eventOfStatus, type TwitchRedemptionStatus } from '#domain/redemption/redemption-machine.ts';
import { wasRefunded } from '#domain/reward/was-refunded.ts';
import { advanceTransfer } from '#domain/transfer/advance-transfer.ts';
import { claimTx, type TransferTx, transferTransaction } from '#domain/transfer/transfer-lock.ts';

/** When Twitch cannot be reached, stored follower and subscriber data up to this age may decide. */
export const MAX_READING_AGE_MS = day;
/**
 * If Twitch has given no answer about a claim for this long, it is withdrawn, so that the viewer can act on
 * it again.
 */
export const MAX_CHECK_WAIT_MS = day;

/** Current facts from Twitch about one viewer. Fields that were not requested or not answered are absent. */
export interface StandingReading {
  follow?: { followedAtMs: number | null };
  subscriber?: { tier: SubscriberTier | null };
  redemption?: { status: TwitchRedemptionStatus };
}

/**
 * met: the claim may be sent. unmet: it was withdrawn. unknown: it waits until Twitch can be reached. givenUp: it
 * waited too long and was withdrawn.
 */
export type ClaimVerdict = 'met' | 'unmet' | 'unknown' | 'givenUp';

/** The withdrawal reason stored for each unmet condition. */
export const unmetReasons = {
  follow: 'followUnmet',
  subscriber: 'subscriberUnmet',
  redemption: 'redemptionUnmet',
} as const satisfies Record<RevocableCondition, string>;

/**
 * Rechecks a queued claim's conditions against Twitch's answer, or stored data up to a day old. An unmet
 * claim is withdrawn: its reward is promised again, for the rest of its window, and records the unmet
 * condition. Watch time only grows and is not rechecked. If the broadcaster disconnected Twitch, the grant
 * expired or no longer allows channel points, Twitch will never answer; the promise stays valid and the last
 * stored data decides, whatever its age. If Twitch is silent for too long, counted from the first unanswered
 * question, the claim is withdrawn too, and its window is extended by its wait (see `ownDelayMs`): like a bot
 * outage, a Twitch outage is not the viewer's fault.
 */
export async function checkClaim(
  db: Database,
  { transferId, reading, askedAtMs }: { transferId: string; reading: StandingReading; askedAtMs?: number },
  nowMs: number,
): Promise<ClaimVerdict> {
  return transferTransaction(db, transferId, async (tx) => {
    const claim = await readClaim(tx, transferId);
    if (!claim?.twitchId) throw new Error(`transfer ${transferId} is nobody's claim`);
    await recordReading(
      tx,
      { channelId: claim.channelId, twitchId: claim.twitchId },
      reading,
      askedAtMs ?? nowMs,
    );
    if (await pointsGivenBack(tx, claim, reading, nowMs)) {
      // Refunded while queued: the refund withdrew the transfer already. Refunded during a send: this withdraws it.
      await withdraw(tx, transferId, unmetReasons.redemption, nowMs);
      return 'unmet';
    }
    const { verdict, unmet } = judge(claim, reading, nowMs);
    if (unmet && (await withdraw(tx, transferId, unmetReasons[unmet], nowMs)))
      await tx.update(rewards).set({ unmetCondition: unmet }).where(eq(rewards.id, claim.rewardId));
    const silentSinceMs = verdict === 'unknown' ? (claim.silentSinceMs ?? nowMs) : null;
    if (silentSinceMs !== claim.silentSinceMs)
      await tx.update(transfers).set({ silentSinceMs }).where(eq(transfers.id, transferId));
    if (verdict !== 'unknown') return verdict;
    if (silentSinceMs === null || nowMs - silentSinceMs < MAX_CHECK_WAIT_MS) return 'unknown';
    await withdraw(tx, transferId, 'twitchSilent', nowMs);
    return 'givenUp';
  });
}

type Claim = NonNullable<Awaited<ReturnType<typeof readClaim>>>;

async function recordReading(
  tx: Tx,
  viewer: { channelId: string; twitchId: string },
  { follow, subscriber }: StandingReading,
  askedAtMs: number,
): Promise<void> {
  if (follow) await recordFollow(tx, { ...viewer, ...follow }, askedAtMs);
  if (subscriber) await recordSubscriber(tx, { ...viewer, ...subscriber });
}

async function pointsGivenBack(
  tx: TransferTx,
  { rewardId, redemptionId }: Claim,
  { redemption }: StandingReading,
  nowMs: number,
): Promise<boolean> {
  const event = redemption && eventOfStatus[redemption.status];
  if (redemptionId && event) await advanceRedemption(claimTx(tx), redemptionId, event, nowMs);
  return wasRefunded(tx, rewardId);
}

/** One condition known to be unmet decides, even if others are unknown. */
function judge(
  claim: Claim,
  reading: StandingReading,
  nowMs: number,
): { verdict: 'met' | 'unmet' | 'unknown'; unmet?: ListedCondition['revocable'] } {
  // Without a usable grant neither this claim nor a later one could ever be checked, so stored data decides.
  const isLast = !canAskTwitch(claim);
  const isRecent = (readAtMs: number | null) =>
    isLast || (readAtMs !== null && nowMs - readAtMs <= MAX_READING_AGE_MS);
  const isKnown = ({ key, revocable }: ListedCondition) =>
    reading[revocable] !== undefined || isRecent(claim.readAtMs[key]);
  // Fulfilled points cannot be refunded; open ones were last confirmed when they were redeemed.
  const arePointsKnown =
    reading.redemption !== undefined ||
    !claim.pointsWait ||
    !canAskPoints(claim) ||
    isRecent(claim.redeemedAtMs);
  const facts = { ...claim, ...reading.follow, ...reading.subscriber };
  const progress = conditionProgress(claim, facts, nowMs);
  const asked = listedConditions.filter(({ key }) => progress[key] !== null);
  const unmet = asked.find((condition) => isKnown(condition) && !progress[condition.key]?.met);
  if (unmet) return { verdict: 'unmet', unmet: unmet.revocable };
  return { verdict: arePointsKnown && asked.every(isKnown) ? 'met' : 'unknown' };
}

/**
 * Returns whether Twitch can be asked about this channel: Twitch shows it, and the broadcaster's grant is
 * connected and has every required scope.
 */
const canAskTwitch = ({ grantState, missingSinceMs, grantScopes }: Claim): boolean =>
  grantState === 'connected' &&
  missingSinceMs === null &&
  missingStreamerScopes(grantScopes ?? []).length === 0;

/** Returns whether the grant includes channel points, which streamers may leave out. */
const canAskPoints = ({ grantScopes }: Claim): boolean => (grantScopes ?? []).includes(pointsScope);

const withdraw = (tx: TransferTx, transferId: string, error: string, nowMs: number): Promise<boolean> =>
  advanceTransfer(tx, transferId, { event: 'withdrawn', error }, nowMs);

async function readClaim(tx: Tx, transferId: string) {
  const [claim] = await tx
    .select({
      rewardId: rewards.id,
      twitchId: rewards.twitchId,
      channelId: rules.channelId,
      silentSinceMs: transfers.silentSinceMs,
      readAtMs: listReadAtMs,
      grantState: twitchAccounts.state,
      missingSinceMs: twitchAccounts.missingSinceMs,
      grantScopes: twitchAccounts.scopes,
      redemptionId: redemptions.id,
      pointsWait: sql`coalesce(${redemptions.state}, 'fulfilled') = 'open'`.mapWith(Boolean),
      ...conditionColumns,
      ...viewerFacts(rewards.twitchId),
    })
    .from(transfers)
    .innerJoin(rewards, eq(rewards.id, transfers.rewardId))
    .innerJoin(rules, eq(rules.id, rewards.ruleId))
    .innerJoin(channels, eq(channels.id, rules.channelId))
    .leftJoin(twitchAccounts, eq(twitchAccounts.twitchId, rules.channelId))
    .leftJoin(redemptions, eq(redemptions.rewardId, rewards.id))
    .where(eq(transfers.id, transferId));
  return claim ?? null;
}
