import { and, asc, eq, sql } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { is, within } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { items } from '#db/schema/item.ts';
import { liveRaffleStates, type RaffleState, raffleEntries, raffles } from '#db/schema/raffle.ts';
import { rewards } from '#db/schema/reward.ts';
import { users } from '#db/schema/user.ts';
import { statement } from '#db/statement.ts';

/** A raffle as anybody may see it while it runs and right after. */
export interface RunningRaffle {
  id: string;
  state: RaffleState;
  keyword: string;
  /** The name of an item that can be won; null once all were given. */
  item: string | null;
  winners: number;
  endsAtMs: number | null;
  entries: number;
  /** The running hash of the list of entries. */
  listHash: string | null;
  /** The places that have an item, in order: their names if they agreed to be named, else null. */
  won: { name: string | null }[];
}

/** The states of a raffle that is not only prepared, nor cancelled. */
const shownStates = ['running', 'sealed', 'drawn', 'over'] as const;

const readLatest = statement('latest_raffle', (q) =>
  q
    .select()
    .from(raffles)
    .where(and(eq(raffles.channelId, sql.placeholder('channelId')), within(raffles.state, shownStates)))
    .orderBy(sql`${raffles.id} desc`)
    .limit(1),
);

/** The name of the viewer of an entry, for everybody: null unless they have an account that shows it. */
export const shownName = sql<
  string | null
>`case when ${users.hidesName} then null else ${twitchAccounts.displayName} end`;

const readWon = statement('raffle_winners', (q) =>
  q
    .select({ name: shownName })
    .from(raffleEntries)
    .leftJoin(twitchAccounts, eq(twitchAccounts.twitchId, raffleEntries.twitchId))
    .leftJoin(users, eq(users.id, twitchAccounts.userId))
    .where(
      and(
        eq(raffleEntries.raffleId, sql.placeholder('raffleId')),
        within(raffleEntries.placeState, ['held', 'promised']),
      ),
    )
    .orderBy(asc(raffleEntries.place)),
);

/**
 * Reads the raffle of a channel that runs or was drawn last, also while the next one is prepared; null if there is none.
 */
export async function readRunningRaffle(
  q: Reader,
  { channelId }: { channelId: string },
): Promise<RunningRaffle | null> {
  const [raffle] = await readLatest(q, { channelId });
  if (!raffle) return null;
  const { id, state, keyword, winners, endsAtMs, entryCount: entries, listHash } = raffle;
  const [item] = await q
    .select({ name: items.name })
    .from(rewards)
    .innerJoin(items, eq(items.id, rewards.itemId))
    .where(and(eq(rewards.ruleId, raffle.ruleId), is(rewards.state, 'free')))
    .orderBy(asc(rewards.position))
    .limit(1);
  const won = state === 'drawn' || state === 'over' ? await readWon(q, { raffleId: id }) : [];
  return { id, state, keyword, item: item?.name ?? null, winners, endsAtMs, entries, listHash, won };
}

/** A raffle whose entries are taken down now. */
export interface AwaitedKeyword {
  raffleId: string;
  channelId: string;
  keyword: string;
  keywordKey: string;
  moderatorsMayEnter: boolean;
}

const readAwaited = statement('awaited_keywords', (q) =>
  q
    .select({
      raffleId: raffles.id,
      channelId: raffles.channelId,
      keyword: raffles.keyword,
      keywordKey: raffles.keywordKey,
      moderatorsMayEnter: raffles.moderatorsMayEnter,
    })
    .from(raffles)
    .where(and(within(raffles.state, liveRaffleStates), is(raffles.state, 'running'))),
);

/** Lists the raffles that run, with the words that chats are read for. */
export const listAwaitedKeywords = async (q: Reader): Promise<AwaitedKeyword[]> => readAwaited(q, {});
