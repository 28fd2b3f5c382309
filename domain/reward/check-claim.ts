import { eq, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { channels } from '#db/schema/channel.ts';
import { redemptions } from '#db/schema/redemption.ts';
import { rewards } from '#db/schema/reward.ts';
import { type RevocableCondition, rules, type SubscriberTier } from '#db/schema/rule.ts';
import { transfers } from '#db/schema/transfer.ts';
import { missingStreamerScopes } from '#domain/account/twitch/twitch-scopes.ts';
import { recordFollow } from '#domain/channel/record-follow.ts';
import { recordSubscriber } from '#domain/channel/record-subscriber.ts';
import { advanceRedemption } from '#domain/redemption/advance-redemption.ts';
import { eventOfStatus, type TwitchRedemptionStatus } from '#domain/redemption/redemption-machine.ts';
import { wasRefunded } from '#domain/redemption/was-refunded.ts';
import {
  conditionColumns,
  conditionProgress,
  type ListedCondition,
  listedConditions,
  listReadAtMs,
  viewerFacts,
} from '#domain/rule/conditions/conditions.ts';
import { day } from '#domain/time.ts';
import { advanceTransfer } from '#domain/transfer/advance-transfer.ts';
import { lockOfTransfer } from '#domain/transfer/report-transfer.ts';

/** While Twitch is silent, what was read of a channel's followers or subscribers decides for this long. */
export const MAX_READING_AGE_MS = day;
/** A claim that nobody could check for this long is given back: its viewer need not look at a claim that never moves. */
export const MAX_CHECK_WAIT_MS = day;

/** What Twitch says now of one viewer. What it did not say, or was not asked, is missing. */
export interface StandingReading {
  follow?: { followedAtMs: number | null };
  subscriber?: { tier: SubscriberTier | null };
  redemption?: { status: TwitchRedemptionStatus };
}

/**
 * holds: it may be sent. unmet: it was withdrawn. unknown: it waits until Twitch can be asked. givenUp: it waited too
 * long and was withdrawn.
 */
export type ClaimVerdict = 'holds' | 'unmet' | 'unknown' | 'givenUp';

/** The reason that stands at a withdrawn claim, for each condition that can be unmet. */
export const unmetReasons = {
  follow: 'followUnmet',
  subscriber: 'subscriberUnmet',
  redemption: 'redemptionUnmet',
} as const satisfies Record<RevocableCondition, string>;

/**
 * Checks a queued claim's conditions again, as Twitch tells them or as they were stored within the last day. An unmet
 * claim is withdrawn: its reward is promised again, or recalled when late, and says which condition it was. Watch time
 * only grows and is not asked again. Where the broadcaster took the connection off, or let it die, Twitch tells nothing
 * however long a claim waits: promises stand, so what was stored last decides, whatever its age. A claim that waited in
 * vain is withdrawn too, and gets its time back: that Twitch is silent is as little its viewer's fault as a bot that is
 * down.
 */
export async function checkClaim(
  database: Database,
  { transferId, reading }: { transferId: string; reading: StandingReading },
  nowMs: number,
): Promise<ClaimVerdict> {
  const lock = await lockOfTransfer(database, transferId);
  return database.transaction(async (tx) => {
    const claim = await readClaim(tx, transferId);
    if (!claim?.twitchId) throw new Error(`transfer ${transferId} is nobody's claim`);
    await noteReading(tx, { channelId: claim.channelId, twitchId: claim.twitchId }, reading);
    if (await pointsGivenBack(tx, claim, reading, nowMs)) {
      // Given back while it waited, they took it with them; given back while it was being sent, they left it behind.
      await withdraw(tx, transferId, unmetReasons.redemption, nowMs);
      return 'unmet';
    }
    const { verdict, unmet } = judge(claim, reading, nowMs);
    if (unmet && (await withdraw(tx, transferId, unmetReasons[unmet], nowMs)))
      await tx.update(rewards).set({ unmetCondition: unmet }).where(eq(rewards.id, claim.rewardId));
    const waitedMs = nowMs - claim.claimedAtMs;
    if (verdict !== 'unknown' || waitedMs < MAX_CHECK_WAIT_MS) return verdict;
    await giveTimeBack(tx, claim.rewardId, waitedMs);
    await withdraw(tx, transferId, 'twitchSilent', nowMs);
    return 'givenUp';
  }, lock);
}

type Claim = NonNullable<Awaited<ReturnType<typeof readClaim>>>;

async function noteReading(
  tx: Tx,
  viewer: { channelId: string; twitchId: string },
  { follow, subscriber }: StandingReading,
): Promise<void> {
  if (follow) await recordFollow(tx, { ...viewer, ...follow });
  if (subscriber) await recordSubscriber(tx, { ...viewer, ...subscriber });
}

async function pointsGivenBack(
  tx: Tx,
  { rewardId, redemptionId }: Claim,
  { redemption }: StandingReading,
  nowMs: number,
): Promise<boolean> {
  const event = redemption && eventOfStatus[redemption.status];
  if (redemptionId && event) await advanceRedemption(tx, redemptionId, event, nowMs);
  return wasRefunded(tx, rewardId);
}

/** One condition that is known to be unmet decides, whatever is not known of the others. */
function judge(
  claim: Claim,
  reading: StandingReading,
  nowMs: number,
): { verdict: 'holds' | 'unmet' | 'unknown'; unmet?: ListedCondition['revocable'] } {
  // To wait would be in vain, and so would be every later claim: the promise would stand in words only.
  const isLast = !canBeAsked(claim);
  const isRecent = (readAtMs: number | null) =>
    isLast || (readAtMs !== null && nowMs - readAtMs <= MAX_READING_AGE_MS);
  const isKnown = ({ key, revocable }: ListedCondition) =>
    reading[revocable] !== undefined || isRecent(claim.readAtMs[key]);
  // Kept points stay kept; those that wait were seen waiting when they were redeemed.
  const arePointsKnown =
    reading.redemption !== undefined || !claim.pointsWait || isRecent(claim.redeemedAtMs);
  const facts = { ...claim, ...reading.follow, ...reading.subscriber };
  const progress = conditionProgress(claim, facts, nowMs);
  const asked = listedConditions.filter(({ key }) => progress[key] !== null);
  const unmet = asked.find((condition) => isKnown(condition) && !progress[condition.key]?.met);
  if (unmet) return { verdict: 'unmet', unmet: unmet.revocable };
  return { verdict: arePointsKnown && asked.every(isKnown) ? 'holds' : 'unknown' };
}

/** Whether Twitch tells us of the channel, once it answers: its broadcaster's grant lives and lacks no permission. */
const canBeAsked = ({ grantState, grantScopes }: Claim): boolean =>
  grantState === 'connected' && missingStreamerScopes(grantScopes ?? []).length === 0;

const withdraw = (tx: Tx, transferId: string, error: string, nowMs: number): Promise<boolean> =>
  advanceTransfer(tx, transferId, { event: 'withdrawn', error }, nowMs);

async function giveTimeBack(tx: Tx, rewardId: string, waitedMs: number): Promise<void> {
  await tx
    .update(rewards)
    .set({
      claimUntilMs: sql`${rewards.claimUntilMs} + ${waitedMs}`,
      claimShiftedMs: sql`${rewards.claimShiftedMs} + ${waitedMs}`,
    })
    .where(eq(rewards.id, rewardId));
}

async function readClaim(tx: Tx, transferId: string) {
  const [claim] = await tx
    .select({
      rewardId: rewards.id,
      twitchId: rewards.twitchId,
      channelId: rules.channelId,
      claimedAtMs: transfers.createdAtMs,
      readAtMs: listReadAtMs,
      grantState: twitchAccounts.state,
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
