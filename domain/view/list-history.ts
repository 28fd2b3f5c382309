import { and, desc, eq, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { within } from '#db/dialect.ts';
import type { ItemFacts } from '#db/schema/asset.ts';
import { channels } from '#db/schema/channel.ts';
import { items } from '#db/schema/item.ts';
import { rewards, type StopReason } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { transfers } from '#db/schema/transfer.ts';
import { contains } from '#db/search.ts';
import { type ChannelSummary, channelSummaryColumns } from '#domain/channel/channel-summary.ts';
import { itemFactColumns } from '#domain/item/item-fact-columns.ts';
import { PAGE_SIZE, type Page } from '#domain/kernel/page.ts';
import { type EndedStatus, hasStatus, promiseStatusOf } from '#domain/reward/promise-status.ts';
import { latestClaim } from '#domain/transfer/latest-claim.ts';
import { type PromiseDates, pageInSpan, promiseSpan } from '#domain/view/promise-span.ts';

/** A viewer's reward that was claimed or has ended. */
export interface HistoryEntry {
  id: string;
  status: EndedStatus;
  ruleName: string;
  channel: ChannelSummary;
  item: ItemFacts;
  promisedAtMs: number;
  claimUntilMs: number | null;
  deliveredAtMs: number | null;
  /** End of Steam's protection time, which may be over; null if nothing was delivered. */
  settlesAtMs: number | null;
  /** Set if the rule's owner stopped the claim. */
  stopReason: StopReason | null;
}

export interface HistoryFilters extends Pick<PromiseDates, 'fromMs' | 'untilMs'> {
  status?: EndedStatus | undefined;
  /** A part of the channel's name. */
  channel?: string | undefined;
}

/** Lists a viewer's claimed and ended rewards, latest promise first. */
export async function listHistory(
  db: Database,
  asked: HistoryFilters & { userId: string; after?: string | null; size?: number },
): Promise<Page<HistoryEntry>> {
  const { userId, status, channel, size = PAGE_SIZE, ...dates } = asked;
  const whose = eq(rewards.userId, userId);
  const span = promiseSpan(db, whose, dates);
  const rows = await db.read
    .select({
      id: rewards.id,
      state: rewards.state,
      recallReason: rewards.recallReason,
      stopReason: rewards.stopReason,
      transferState: transfers.state,
      settlesAtMs: transfers.settlesAtMs,
      ruleName: rules.name,
      channel: channelSummaryColumns,
      item: itemFactColumns,
      promisedAtMs: sql<number>`coalesce(${rewards.promisedAtMs}, 0)`.mapWith(Number),
      claimUntilMs: rewards.claimUntilMs,
      deliveredAtMs: rewards.claimedAtMs,
    })
    .from(span)
    .innerJoin(rewards, eq(rewards.id, span.id))
    .innerJoin(rules, eq(rules.id, rewards.ruleId))
    .innerJoin(channels, eq(channels.id, rules.channelId))
    .innerJoin(items, eq(items.id, rewards.itemId))
    .leftJoin(transfers, eq(transfers.id, latestClaim(db.read)))
    .where(
      and(
        within(rewards.state, ['claimed', 'recalled']),
        status ? hasStatus[status] : undefined,
        channel ? contains(channels.displayName, channel) : undefined,
      ),
    )
    .orderBy(desc(rewards.promisedAtMs), desc(rewards.id))
    .limit(size + 1);
  const page = await pageInSpan(db, { rows, size, whose, dates });
  return {
    next: page.next,
    rows: page.rows.map(({ state, recallReason, transferState, ...row }) => ({
      ...row,
      status: promiseStatusOf({ state, recallReason, transferState }) as EndedStatus,
    })),
  };
}
