import { asc, desc, eq } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { items } from '#db/schema/item.ts';
import { raffleCheckpoints, raffles } from '#db/schema/raffle.ts';
import { rewards } from '#db/schema/reward.ts';
import { findChannelOf } from '#domain/channel/find-channel.ts';
import { minute } from '#domain/kernel/time.ts';
import { type RunningRaffle, readRunningRaffle } from '#domain/raffle/read-running.ts';

/** Winners stay on stream for this long after the draw. */
const WINNERS_STAY_MS = minute;

/** A raffle as a stream shows it, from its start until shortly after its draw. */
export interface ShownRaffle extends Pick<RunningRaffle, 'keyword' | 'entries' | 'endsAtMs'> {
  state: 'running' | 'sealed' | 'drawn';
  item: { name: string; iconUrl: string; rarityTag: string };
  /** The list's hash as it was published last, with the entries that it covers; null before that. */
  published: { entries: number; hash: string } | null;
  /** The winners of the draw, in the order of their places; null for a viewer who is not to be named. */
  won: (string | null)[];
}

/** Reads the raffle that a streamer's overlay shows now; null if there is none. */
export async function readShownRaffle(
  q: Reader,
  { userId }: { userId: string },
  nowMs: number,
): Promise<ShownRaffle | null> {
  const channelId = await findChannelOf(q, userId);
  const raffle = channelId && (await readRunningRaffle(q, { channelId }));
  if (!raffle) return null;
  const { id, keyword, entries, endsAtMs, listHash } = raffle;
  const [more] = await q
    .select({
      drawnAtMs: raffles.drawnAtMs,
      item: { name: items.name, iconUrl: items.iconUrl, rarityTag: items.rarityTag },
    })
    .from(raffles)
    .innerJoin(rewards, eq(rewards.ruleId, raffles.ruleId))
    .innerJoin(items, eq(items.id, rewards.itemId))
    .where(eq(raffles.id, id))
    .orderBy(asc(rewards.position))
    .limit(1);
  if (!more || (more.drawnAtMs !== null && nowMs - more.drawnAtMs >= WINNERS_STAY_MS)) return null;
  const state = raffle.state === 'running' || raffle.state === 'sealed' ? raffle.state : 'drawn';
  const published =
    state === 'running' || listHash === null ? await findCheckpoint(q, id) : { entries, hash: listHash };
  const won = raffle.won.map(({ name }) => name);
  return { keyword, entries, endsAtMs, state, item: more.item, published, won };
}

async function findCheckpoint(q: Reader, raffleId: string): Promise<ShownRaffle['published']> {
  const [last] = await q
    .select({ entries: raffleCheckpoints.number, hash: raffleCheckpoints.hash })
    .from(raffleCheckpoints)
    .where(eq(raffleCheckpoints.raffleId, raffleId))
    .orderBy(desc(raffleCheckpoints.number))
    .limit(1);
  return last ?? null;
}
