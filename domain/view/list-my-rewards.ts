import { and, asc, desc, eq, gt, isNotNull, type SQL, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import type { ItemKind } from '#db/schema/asset.ts';
import { bots, outages } from '#db/schema/bot.ts';
import { channels } from '#db/schema/channel.ts';
import { draws } from '#db/schema/draw.ts';
import { items } from '#db/schema/item.ts';
import { redemptions } from '#db/schema/redemption.ts';
import { type RewardState, rewards, type StopReason } from '#db/schema/reward.ts';
import { type RevocableCondition, rules } from '#db/schema/rule.ts';
import { liveTransferStates, type TransferState, transfers } from '#db/schema/transfer.ts';
import { beyond } from '#db/search.ts';
import { statement } from '#db/statement.ts';
import { type ChannelSummary, channelSummaryColumns } from '#domain/channel/channel-summary.ts';
import { listClaimPauses } from '#domain/claim/claim-pause.ts';
import { itemFactColumns } from '#domain/item/item-fact-columns.ts';
import { decodeCursor, PAGE_SIZE, type Page, pageOf } from '#domain/kernel/page.ts';
import { day } from '#domain/kernel/time.ts';
import type { ClaimFailure } from '#domain/outbox/queue-mail.ts';
import { type LastRedemption, lastOf } from '#domain/redemption/list-last-redemptions.ts';
import { sendsFrom } from '#domain/reward/claim-window.ts';
import { claimFailureOf } from '#domain/transfer/claim-failure.ts';
import { isHeldBack } from '#domain/transfer/hold-back.ts';
import { latestClaim } from '#domain/transfer/latest-claim.ts';

/** A viewer's reward, with its current trade offer if there is one. */
export interface MyReward {
  id: string;
  state: RewardState;
  ruleId: string;
  ruleName: string;
  claimTimeoutHours: number;
  channel: ChannelSummary;
  item: ItemKind;
  promisedAtMs: number;
  claimUntilMs: number;
  /** The earliest time it is sent; null if it is not held back. */
  sendsFromMs: number | null;
  /**
   * Time since when nothing of the rule can be claimed and its windows stand still; null if it is not frozen.
   */
  frozenAtMs: number | null;
  /** Time by which outages extended the claim window. */
  claimShiftedMs: number;
  outages: Outage[];
  claimedAtMs: number | null;
  /** Time at which the viewer was shown the card of its delivery; null if they were not yet. */
  winSeenAtMs: number | null;
  /** End of Steam's protection time for the delivery, which may be over; null if nothing was delivered. */
  settlesAtMs: number | null;
  recallReason: string | null;
  /**
   * The reason why the rule's owner stopped the claim, or asked to; the reward is delivered all the same if
   * the viewer was faster.
   */
  stopReason: StopReason | null;
  /** The condition that stopped the last claim, if one did. */
  unmetCondition: RevocableCondition | null;
  /** The draw that chose this reward; null if it was not drawn. */
  drawNumber: number | null;
  /** The redemption this reward was promised for; null if no points were spent. */
  redemption: LastRedemption | null;
  offer: MyOffer | null;
  /**
   * The reason why the latest claim ended without delivery; null if none did, or if the viewer cancelled it.
   */
  claimFailure: ClaimFailure | null;
  /**
   * Time until which it cannot be claimed again, because its viewer cancelled or declined several offers; it
   * may be over.
   */
  pausedUntilMs: number | null;
}

/** A period in which no bot could deliver, in domain time. */
export interface Outage {
  fromMs: number;
  untilMs: number;
}

export interface MyOffer {
  transferId: string;
  state: TransferState;
  securityCode: string;
  /** Null until Steam has the offer. */
  offerId: string | null;
  sentAtMs: number | null;
  /** Time at which the bot cancels the offer if nobody has accepted it. Null until Steam has the offer. */
  cancelAtMs: number | null;
  /** True if it is not sent before the operator has checked its item. */
  isHeldBack: boolean;
  bot: { name: string; steamId: string | null };
}

const readAnyReward = statement('any_reward', (q) =>
  q
    .select({ id: rewards.id })
    .from(rewards)
    .where(eq(rewards.userId, sql.placeholder('userId')))
    .limit(1),
);

/** Returns whether a viewer was ever promised a reward. */
export async function hasAnyReward({ read }: Database, asked: { userId: string }): Promise<boolean> {
  return (await readAnyReward(read, asked)).length > 0;
}

/** Lists a viewer's rewards in the given states, latest promise first. */
export async function listMyRewards(
  db: Database,
  asked: {
    userId: string;
    states: readonly RewardState[];
    channelId?: string | undefined;
    after?: string | null;
    size?: number;
  },
): Promise<Page<MyReward>> {
  const size = asked.size ?? PAGE_SIZE;
  const rows = await selectRewards(db, pageOfRewards(db, asked, size + 1), size + 1);
  const { rows: shown, next } = pageOf(rows, size, (row) => [row.promisedAtMs, row.id]);
  return { rows: await withPauses(db, await withOutages(db, shown.map(describe))), next };
}

/**
 * Longer than any claim window with its offer, an escrow and an outage, so that no delivery in a list was
 * promised earlier.
 */
const LONGEST_CLAIM_MS = 90 * day;
/** More deliveries than anyone gets in a day. */
const MAX_DELIVERED = 100;

/**
 * Lists the rewards delivered to a viewer since a time, latest promise first, whatever was promised to them
 * later.
 */
export async function listDelivered(
  db: Database,
  { userId, sinceMs }: { userId: string; sinceMs: number },
): Promise<MyReward[]> {
  const page = db.read
    .select({ id: rewards.id })
    .from(rewards)
    .where(
      and(
        eq(rewards.userId, userId),
        is(rewards.state, 'claimed'),
        gt(rewards.promisedAtMs, sinceMs - LONGEST_CLAIM_MS),
        gt(rewards.claimedAtMs, sinceMs),
      ),
    )
    .orderBy(desc(rewards.promisedAtMs), desc(rewards.id))
    .limit(MAX_DELIVERED)
    .as('page');
  const rows = await selectRewards(db, page, MAX_DELIVERED);
  return withPauses(db, await withOutages(db, rows.map(describe)));
}

/** Returns one of the viewer's own rewards, or null. */
export async function getMyReward(
  db: Database,
  { rewardId, userId }: { rewardId: string; userId: string },
): Promise<MyReward | null> {
  const own = db.read
    .select({ id: rewards.id })
    .from(rewards)
    .where(and(eq(rewards.id, rewardId), eq(rewards.userId, userId)))
    .as('page');
  const [row] = await selectRewards(db, own, 1);
  const listed = await withOutages(db, row ? [describe(row)] : []);
  const [reward] = await withPauses(db, listed);
  return reward ?? null;
}

/** Selects the reward ids of one page from the viewer's index, so that details are read for those rows only. */
function pageOfRewards(
  db: Database,
  { userId, states, channelId, after }: Parameters<typeof listMyRewards>[1],
  limit: number,
) {
  const found = db.read.select({ id: rewards.id }).from(rewards).$dynamic();
  const onChannel = channelId === undefined ? found : found.innerJoin(rules, eq(rules.id, rewards.ruleId));
  return onChannel
    .where(
      and(
        eq(rewards.userId, userId),
        within(rewards.state, states),
        channelId === undefined ? undefined : eq(rules.channelId, channelId),
        beforePlace(after),
      ),
    )
    .orderBy(desc(rewards.promisedAtMs), desc(rewards.id))
    .limit(limit)
    .as('page');
}

const selectRewards = (db: Database, page: ReturnType<typeof pageOfRewards>, limit: number) =>
  db.read
    .select({
      id: rewards.id,
      state: rewards.state,
      ruleId: rewards.ruleId,
      ruleName: rules.name,
      claimTimeoutHours: rules.claimTimeoutHours,
      sendDelayHours: rules.sendDelayHours,
      channel: channelSummaryColumns,
      item: itemFactColumns,
      promisedAtMs: sql<number>`coalesce(${rewards.promisedAtMs}, 0)`.mapWith(Number),
      claimUntilMs: sql<number>`coalesce(${rewards.claimUntilMs}, 0)`.mapWith(Number),
      frozenAtMs: rules.frozenAtMs,
      claimShiftedMs: rewards.claimShiftedMs,
      claimedAtMs: rewards.claimedAtMs,
      winSeenAtMs: rewards.winSeenAtMs,
      recallReason: rewards.recallReason,
      stopReason: rewards.stopReason,
      unmetCondition: rewards.unmetCondition,
      drawNumber: draws.number,
      redeemedAtMs: redemptions.redeemedAtMs,
      refundReason: redemptions.refundReason,
      redemptionState: redemptions.state,
      redemptionSettlement: redemptions.settlement,
      transferId: transfers.id,
      transferState: transfers.state,
      securityCode: transfers.securityCode,
      offerId: transfers.offerId,
      sentAtMs: transfers.sentAtMs,
      cancelAtMs: transfers.cancelAtMs,
      settlesAtMs: transfers.settlesAtMs,
      cancelWanted: transfers.cancelWanted,
      lastError: transfers.lastError,
      botName: bots.id,
      botSteamId: bots.steamId,
    })
    // This table comes first because PostgreSQL keeps the written order with this many joins.
    .from(page)
    .innerJoin(rewards, eq(rewards.id, page.id))
    .innerJoin(rules, eq(rules.id, rewards.ruleId))
    .innerJoin(channels, eq(channels.id, rules.channelId))
    .innerJoin(items, eq(items.id, rewards.itemId))
    .leftJoin(draws, eq(draws.rewardId, rewards.id))
    .leftJoin(redemptions, eq(redemptions.rewardId, rewards.id))
    .leftJoin(transfers, eq(transfers.id, latestClaim(db.read)))
    .leftJoin(bots, eq(bots.id, transfers.botId))
    .where(isNotNull(rewards.twitchId))
    .orderBy(desc(rewards.promisedAtMs), desc(rewards.id))
    .limit(limit);

type Row = Awaited<ReturnType<typeof selectRewards>>[number];

type Described = Omit<MyReward, 'outages' | 'pausedUntilMs'>;

function describe(row: Row): Described {
  const { redeemedAtMs, refundReason, redemptionState, redemptionSettlement, ...claimed } = row;
  const { transferId, transferState, securityCode, offerId, sentAtMs, cancelAtMs, ...rest } = claimed;
  const { cancelWanted, lastError, botName, botSteamId, sendDelayHours, ...facts } = rest;
  const redemption =
    redeemedAtMs === null || redemptionState === null
      ? null
      : lastOf({ redeemedAtMs, refundReason, state: redemptionState, settlement: redemptionSettlement });
  const sendsFromMs = sendsFrom({ sendDelayHours }, row.promisedAtMs);
  const reward = { ...facts, sendsFromMs, redemption };
  if (!transferId || !transferState || !securityCode || !botName)
    return { ...reward, offer: null, claimFailure: null };
  if (!isLive(transferState)) {
    const ended = { state: transferState, cancelWanted: cancelWanted === true, sentAtMs, lastError };
    return { ...reward, offer: null, claimFailure: claimFailureOf(ended) };
  }
  const bot = { name: botName, steamId: botSteamId };
  const offer = {
    transferId,
    state: transferState,
    securityCode,
    offerId,
    sentAtMs,
    cancelAtMs,
    isHeldBack: isHeldBack({ state: transferState, lastError }),
    bot,
  };
  return { ...reward, offer, claimFailure: null };
}

const isLive = (state: TransferState): boolean =>
  (liveTransferStates as readonly TransferState[]).includes(state);

/** Adds the outages that extended each reward's claim window. */
async function withOutages(
  db: Database,
  listed: readonly Described[],
): Promise<Omit<MyReward, 'pausedUntilMs'>[]> {
  const moved = listed.filter(({ claimShiftedMs }) => claimShiftedMs > 0);
  const sinceMs = Math.min(...moved.map(({ promisedAtMs }) => promisedAtMs));
  const { endedAtMs, lastedMs } = outages;
  const found = moved.length
    ? await db.read
        .select({ endedAtMs, lastedMs })
        .from(outages)
        .where(gt(endedAtMs, sinceMs))
        .orderBy(asc(endedAtMs))
    : [];
  const known = found.map((outage) => ({
    fromMs: outage.endedAtMs - outage.lastedMs,
    untilMs: outage.endedAtMs,
  }));
  return listed.map((reward) => ({ ...reward, outages: movedBy(reward, known) }));
}

/** Adds the pauses of rewards whose last claim ended without delivery. */
async function withPauses(
  db: Database,
  listed: readonly Omit<MyReward, 'pausedUntilMs'>[],
): Promise<MyReward[]> {
  const again = listed.filter(({ state }) => state === 'promised');
  const pauses = await listClaimPauses(
    db.read,
    again.map(({ id }) => id),
  );
  return listed.map((reward) => ({ ...reward, pausedUntilMs: pauses.get(reward.id) ?? null }));
}

/**
 * Returns the outages since the promise that account for the window's extension, each with only the part
 * after the promise.
 */
function movedBy(
  { promisedAtMs, claimShiftedMs }: Pick<MyReward, 'promisedAtMs' | 'claimShiftedMs'>,
  known: readonly Outage[],
): Outage[] {
  const since = known
    .filter(({ untilMs }) => untilMs > promisedAtMs)
    .map(({ fromMs, untilMs }) => ({ fromMs: Math.max(fromMs, promisedAtMs), untilMs }));
  let movedMs = 0;
  const tooMany = since.findIndex(({ fromMs, untilMs }) => {
    movedMs += untilMs - fromMs;
    return movedMs > claimShiftedMs;
  });
  return tooMany === -1 ? since : since.slice(0, tooMany);
}

function beforePlace(cursor: string | null | undefined): SQL | undefined {
  const place = decodeCursor(cursor, ['number', 'text']);
  return place ? beyond([rewards.promisedAtMs, rewards.id], '<', place) : undefined;
}
