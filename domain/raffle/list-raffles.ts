import { and, asc, desc, eq, gt, isNotNull, lt, type SQL, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { items } from '#db/schema/item.ts';
import { type PassReason, type PlaceState, raffleEntries, raffles } from '#db/schema/raffle.ts';
import { type RewardState, rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { type Conditions, conditionColumns } from '#domain/condition/conditions.ts';
import { asOwned, type Owned } from '#domain/kernel/owned.ts';
import { decodeCursor, PAGE_SIZE, type Page, pageOf } from '#domain/kernel/page.ts';
import type { Raffle } from './move-raffle.ts';

/** A raffle as its owner sees it, also before its start. */
export interface OwnRaffle
  extends Conditions,
    Pick<
      Raffle,
      | 'id'
      | 'channelId'
      | 'state'
      | 'endReason'
      | 'keyword'
      | 'winners'
      | 'lengthMs'
      | 'winnersOutDays'
      | 'moderatorsMayEnter'
      | 'entryCount'
      | 'listHash'
      | 'createdAtMs'
      | 'startedAtMs'
      | 'plannedEndMs'
      | 'endsAtMs'
      | 'sealedAtMs'
      | 'announcedAtMs'
      | 'drawnAtMs'
      | 'endedAtMs'
    > {
  claimTimeoutHours: number;
  /** The name of its first item; null once what it gave is no longer on record. */
  itemName: string | null;
}

const selectOwn = (q: Reader, where: SQL | undefined, limit: number): Promise<OwnRaffle[]> => {
  const firstItem = q
    .select({ name: items.name })
    .from(rewards)
    .innerJoin(items, eq(items.id, rewards.itemId))
    .where(eq(rewards.ruleId, raffles.ruleId))
    .orderBy(asc(rewards.position))
    .limit(1);
  const { id, channelId, state, endReason, keyword, winners, lengthMs } = raffles;
  const { winnersOutDays, moderatorsMayEnter, entryCount, listHash } = raffles;
  const { createdAtMs, startedAtMs, plannedEndMs, endsAtMs } = raffles;
  const { sealedAtMs, announcedAtMs, drawnAtMs, endedAtMs } = raffles;
  return q
    .select({
      ...conditionColumns,
      ...{ id, channelId, state, endReason, keyword, winners, lengthMs },
      ...{ winnersOutDays, moderatorsMayEnter, entryCount, listHash },
      ...{ createdAtMs, startedAtMs, plannedEndMs, endsAtMs },
      ...{ sealedAtMs, announcedAtMs, drawnAtMs, endedAtMs },
      claimTimeoutHours: rules.claimTimeoutHours,
      itemName: sql<string | null>`(${firstItem})`,
    })
    .from(raffles)
    .innerJoin(rules, eq(rules.id, raffles.ruleId))
    .where(where)
    .orderBy(desc(raffles.id))
    .limit(limit);
};

/** Lists a streamer's raffles, newest first. */
export async function listRaffles(
  q: Reader,
  asked: { ownerId: string; after?: string | null; size?: number },
): Promise<Page<Owned<OwnRaffle>>> {
  const { ownerId, size = PAGE_SIZE } = asked;
  const place = decodeCursor(asked.after, ['text']);
  const past = place ? lt(raffles.id, place[0]) : undefined;
  const rows = await selectOwn(q, and(eq(raffles.ownerId, ownerId), past), size + 1);
  const page = pageOf(rows, size, ({ id }) => [id]);
  return { next: page.next, rows: page.rows.map((row) => asOwned(row)) };
}

/** Returns one of a streamer's own raffles; null if there is none. */
export async function findRaffleOf(
  q: Reader,
  { raffleId, ownerId }: { raffleId: string; ownerId: string },
): Promise<Owned<OwnRaffle> | null> {
  const [row] = await selectOwn(q, and(eq(raffles.id, raffleId), eq(raffles.ownerId, ownerId)), 1);
  return row ? asOwned(row) : null;
}

/** An entry as it is published: viewers are their Twitch ids. */
export interface PublishedEntry {
  number: number;
  twitchId: string;
  enteredAtMs: number;
  /** Null before the draw, as is its state. */
  place: number | null;
  state: PlaceState | null;
  passReason: PassReason | null;
  /** The state of the place's reward; null if it has none. */
  reward: RewardState | null;
}

/** Lists a started raffle's entries in their order; null if nothing of it is published. */
export async function listEntryPage(
  q: Reader,
  asked: { raffleId: string; after?: string | null; size?: number },
): Promise<Page<PublishedEntry> | null> {
  const { raffleId, size = PAGE_SIZE } = asked;
  const isStarted = and(eq(raffles.id, raffleId), isNotNull(raffles.startedAtMs));
  if ((await q.$count(raffles, isStarted)) === 0) return null;
  const place = decodeCursor(asked.after, ['number']);
  const { number, twitchId, enteredAtMs, placeState: state, passReason } = raffleEntries;
  const rows = await q
    .select({
      ...{ number, twitchId, enteredAtMs, place: raffleEntries.place, state, passReason },
      reward: rewards.state,
    })
    .from(raffleEntries)
    .leftJoin(rewards, eq(rewards.id, raffleEntries.rewardId))
    .where(and(eq(raffleEntries.raffleId, raffleId), place ? gt(number, place[0]) : undefined))
    .orderBy(asc(number))
    .limit(size + 1);
  return pageOf(rows, size, (row) => [row.number]);
}
