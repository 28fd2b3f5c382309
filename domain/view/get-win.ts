import { and, eq, isNotNull } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import type { ItemKind } from '#db/schema/asset.ts';
import { bots } from '#db/schema/bot.ts';
import { channels } from '#db/schema/channel.ts';
import { draws } from '#db/schema/draw.ts';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { transfers } from '#db/schema/transfer.ts';
import { users } from '#db/schema/user.ts';
import { type ChannelSummary, channelSummaryColumns } from '#domain/channel/channel-summary.ts';
import { itemFactColumns } from '#domain/item/item-fact-columns.ts';
import { promiseStatusOf } from '#domain/reward/promise-status.ts';
import { latestClaim } from '#domain/transfer/latest-claim.ts';

/** A delivered reward, as its own page shows it. */
export interface Win {
  id: string;
  /** Reversed wins are shown to their viewer alone. */
  status: 'delivered' | 'final' | 'reversed';
  item: ItemKind;
  channel: ChannelSummary;
  /** True if the channel has no public page: nobody else sees this one. */
  isHidden: boolean;
  ruleId: string;
  ruleName: string;
  /** False for a closed rule, whose page is gone. */
  isRuleOpen: boolean;
  promisedAtMs: number;
  deliveredAtMs: number;
  /** End of Steam's protection time, which may be over; null if it is not known. */
  settlesAtMs: number | null;
  /** The draw that chose this reward; null if it was not drawn. */
  drawNumber: number | null;
  /** Null for a viewer who hides their name or has left. */
  viewerName: string | null;
  /** Facts for its viewer; null for everybody else. */
  own: OwnWin | null;
}

export interface OwnWin {
  hidesName: boolean;
  isSeen: boolean;
  offer: { sentAtMs: number; bot: string; securityCode: string } | null;
}

/**
 * Returns the page of a delivered reward; null if nothing was delivered, and for other readers than its viewer also if
 * the channel is hidden or Steam reversed the trade.
 *
 * @param userId the reader; null for a visitor
 */
export async function getWin(
  db: Database,
  { rewardId, userId }: { rewardId: string; userId: string | null },
): Promise<Win | null> {
  const [row] = await selectWin(db, rewardId);
  if (!row || row.deliveredAtMs === null) return null;
  const { state, recallReason, transferState, isHidden, ruleState, ...facts } = row;
  const status = promiseStatusOf({ state, recallReason, transferState });
  if (status !== 'delivered' && status !== 'final' && status !== 'reversed') return null;
  const { ownerId, displayName, hidesName, seenAtMs, sentAtMs, bot, securityCode, ...shown } = facts;
  const isOwn = userId !== null && ownerId === userId;
  if (!isOwn && (isHidden || status === 'reversed')) return null;
  const isOffered = sentAtMs !== null && bot !== null && securityCode !== null;
  return {
    ...shown,
    status,
    isHidden,
    isRuleOpen: ruleState === 'open',
    promisedAtMs: row.promisedAtMs ?? row.deliveredAtMs,
    deliveredAtMs: row.deliveredAtMs,
    viewerName: hidesName === false ? displayName : null,
    own: isOwn
      ? {
          hidesName: hidesName === true,
          isSeen: seenAtMs !== null,
          offer: isOffered ? { sentAtMs, bot, securityCode } : null,
        }
      : null,
  };
}

const selectWin = ({ read }: Database, rewardId: string) =>
  read
    .select({
      id: rewards.id,
      state: rewards.state,
      recallReason: rewards.recallReason,
      ownerId: rewards.userId,
      ruleId: rewards.ruleId,
      ruleName: rules.name,
      ruleState: rules.state,
      channel: channelSummaryColumns,
      isHidden: channels.hidden,
      item: itemFactColumns,
      promisedAtMs: rewards.promisedAtMs,
      deliveredAtMs: rewards.claimedAtMs,
      seenAtMs: rewards.winSeenAtMs,
      drawNumber: draws.number,
      transferState: transfers.state,
      settlesAtMs: transfers.settlesAtMs,
      sentAtMs: transfers.sentAtMs,
      securityCode: transfers.securityCode,
      bot: bots.id,
      displayName: twitchAccounts.displayName,
      hidesName: users.hidesName,
    })
    .from(rewards)
    .innerJoin(rules, eq(rules.id, rewards.ruleId))
    .innerJoin(channels, eq(channels.id, rules.channelId))
    .innerJoin(items, eq(items.id, rewards.itemId))
    .leftJoin(draws, eq(draws.rewardId, rewards.id))
    .leftJoin(transfers, eq(transfers.id, latestClaim(read)))
    .leftJoin(bots, eq(bots.id, transfers.botId))
    // An account that another person's Keepsake account has since linked is theirs to name.
    .leftJoin(
      twitchAccounts,
      and(eq(twitchAccounts.twitchId, rewards.twitchId), eq(twitchAccounts.userId, rewards.userId)),
    )
    .leftJoin(users, eq(users.id, rewards.userId))
    .where(and(eq(rewards.id, rewardId), isNotNull(rewards.twitchId)));
