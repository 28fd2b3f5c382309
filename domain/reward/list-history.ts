import { and, desc, eq, gte, isNotNull, lt, notInArray, or, type SQL, sql } from 'drizzle-orm';
import type { Database } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import type { ItemFacts } from '#db/schema/asset.ts';
import { channels } from '#db/schema/channel.ts';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { deliveredTransferStates, transfers } from '#db/schema/transfer.ts';
import { beyond, contains } from '#db/search.ts';
import { type ChannelSummary, channelSummaryColumns } from '#domain/channel/channel-summary.ts';
import { itemFactColumns } from '#domain/item/item-fact-columns.ts';
import { decodeCursor, encodeCursor, PAGE_SIZE, type Page, pageOf } from '#domain/page.ts';

/** How a promise ended. */
export const historyStatuses = ['delivered', 'final', 'timedOut', 'reversed', 'recalled'] as const;
export type HistoryStatus = (typeof historyStatuses)[number];

/** A viewer's reward that was claimed or has ended. */
export interface HistoryEntry {
  id: string;
  status: HistoryStatus;
  ruleName: string;
  channel: ChannelSummary;
  item: ItemFacts;
  promisedAtMs: number;
  claimUntilMs: number | null;
  deliveredAtMs: number | null;
  /** When Steam's protection time ends or ended; null if nothing was delivered. */
  settlesAtMs: number | null;
}

export interface HistoryFilters {
  status?: HistoryStatus | undefined;
  /** A part of the channel's name. */
  channel?: string | undefined;
  fromMs?: number | undefined;
  /** Exclusive. */
  untilMs?: number | undefined;
}

/** Promises that one page looks through for what the filters ask; a page may be short and still have a next. */
const MAX_SPAN = 1000;

const named = ['timedOut', 'reversed'];
const fits: Record<HistoryStatus, SQL | undefined> = {
  delivered: and(
    is(rewards.state, 'claimed'),
    or(sql`${transfers.state} is null`, is(transfers.state, 'accepted')),
  ),
  final: and(is(rewards.state, 'claimed'), is(transfers.state, 'settled')),
  timedOut: and(is(rewards.state, 'recalled'), eq(rewards.recallReason, 'timedOut')),
  reversed: and(is(rewards.state, 'recalled'), eq(rewards.recallReason, 'reversed')),
  recalled: and(is(rewards.state, 'recalled'), notInArray(sql`coalesce(${rewards.recallReason}, '')`, named)),
};

type Asked = HistoryFilters & { userId: string; after?: string | null };

/** The viewer's latest promises past the cursor and within the dates, read from their index. */
const spanOf = ({ read }: Database, { userId, fromMs, untilMs, after }: Asked) => {
  const place = decodeCursor(after, ['number', 'text']);
  return read
    .select({ id: rewards.id, promisedAtMs: rewards.promisedAtMs })
    .from(rewards)
    .where(
      and(
        eq(rewards.userId, userId),
        isNotNull(rewards.twitchId),
        fromMs === undefined ? undefined : gte(rewards.promisedAtMs, fromMs),
        untilMs === undefined ? undefined : lt(rewards.promisedAtMs, untilMs),
        place ? beyond([rewards.promisedAtMs, rewards.id], '<', place) : undefined,
      ),
    )
    .orderBy(desc(rewards.promisedAtMs), desc(rewards.id));
};

/** Lists a viewer's claimed and ended rewards, latest promise first. */
export async function listHistory(
  database: Database,
  { size = PAGE_SIZE, ...asked }: Asked & { size?: number },
): Promise<Page<HistoryEntry>> {
  const span = spanOf(database, asked).limit(MAX_SPAN).as('span');
  const rows = await database.read
    .select({
      id: rewards.id,
      state: rewards.state,
      recallReason: rewards.recallReason,
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
    // At most one transfer of a reward was ever accepted.
    .leftJoin(
      transfers,
      and(eq(transfers.rewardId, rewards.id), within(transfers.state, deliveredTransferStates)),
    )
    .where(
      and(
        within(rewards.state, ['claimed', 'recalled']),
        asked.status ? fits[asked.status] : undefined,
        asked.channel ? contains(channels.displayName, asked.channel) : undefined,
      ),
    )
    .orderBy(desc(rewards.promisedAtMs), desc(rewards.id))
    .limit(size + 1);
  const page = pageOf(rows, size, (row) => [row.promisedAtMs, row.id]);
  return { next: page.next ?? (await endOfSpan(database, asked)), rows: page.rows.map(describe) };
}

/** Where the next page goes on when this one found too little in a full span. */
async function endOfSpan(database: Database, asked: Asked): Promise<string | null> {
  const [last] = await spanOf(database, asked)
    .limit(1)
    .offset(MAX_SPAN - 1);
  return last ? encodeCursor([last.promisedAtMs ?? 0, last.id]) : null;
}

function describe<
  Row extends Omit<HistoryEntry, 'status'> & {
    state: string;
    recallReason: string | null;
    transferState: string | null;
  },
>({ state, recallReason, transferState, ...row }: Row): HistoryEntry {
  const delivered = transferState === 'settled' ? 'final' : 'delivered';
  const ended = recallReason === 'timedOut' || recallReason === 'reversed' ? recallReason : 'recalled';
  return { ...row, status: state === 'claimed' ? delivered : ended };
}
