import { and, asc, eq, exists, inArray, notExists, or, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { is, rowsOf, within } from '#db/dialect.ts';
import { movingRaffleStates, raffleEntries, raffles } from '#db/schema/raffle.ts';
import { pendingRewardStates, type RewardState, rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { statement } from '#db/statement.ts';
import { STALE_AFTER_MS } from '#domain/chat/take-announcements.ts';
import { commitmentOf } from '#domain/draw/pick-candidate.ts';
import { type ChannelTx, channelLock } from '#domain/kernel/locks.ts';
import { minute, second } from '#domain/kernel/time.ts';
import { endRaffleIn } from './cancel-raffle.ts';
import { inPlaces } from './entry-list.ts';
import { moveRaffle, type Raffle, readRaffle } from './move-raffle.ts';
import { queueAnnouncement } from './queue-announcement.ts';
import { checkpointWhenDue } from './record-entries.ts';
import { type ServedPlaces, servePlaces } from './serve-places.ts';
import { isFrozen } from './start-raffle.ts';

/** Lines of the last moment are waited for this long after the end. */
export const GRACE_MS = 5 * second;
/** The draw comes at least this long after Twitch took the chat line with the list's hash. */
export const ANNOUNCED_FOR_MS = 10 * second;
/** If no chat takes that line, the draw comes this long after the list was closed: no line is sent later. */
const UNANNOUNCED_FOR_MS = STALE_AFTER_MS + minute;
/** Raffles that are drawn are looked at this often: a winner may have made an account, or not claimed in time. */
export const SERVE_EVERY_MS = 5 * second;

interface Round {
  /** Raffles some of whose entries could not be written yet: their lists stay open. */
  unwritten?: ReadonlySet<string>;
  /** False to leave alone drawn raffles and those that run on, which is enough for most rounds. */
  serves?: boolean;
  /** Told of a raffle that failed. It is tried again, and holds no other one up. */
  onError?: (error: unknown, raffleId: string) => void;
}

/**
 * Takes every raffle as far as it can go now: closes lists, draws, and gives items to places. Any number of processes
 * may do so at once. Returns the number of milliseconds until there is something to do again; null if nothing is known.
 */
export async function runRaffles(
  db: Database,
  nowMs: number,
  { unwritten, serves = true, onError = rethrow }: Round = {},
): Promise<number | null> {
  const moving = await (serves ? listServable : listOpen)(db.read, {});
  const waits: number[] = serves ? [] : [SERVE_EVERY_MS];
  for (const { id, channelId, ...raffle } of moving) {
    if (unwritten?.has(id)) {
      waits.push(second);
      continue;
    }
    // Each entry that is written begins a round, and publishes the list's hash itself when that is due.
    const leftMs = leftMsOf(raffle, nowMs);
    if (!serves && leftMs > 0) {
      waits.push(leftMs);
      continue;
    }
    try {
      waits.push(await db.transaction((tx) => runRaffle(tx, id, nowMs), { lock: channelLock(channelId) }));
    } catch (error) {
      onError(error, id);
      waits.push(SERVE_EVERY_MS);
    }
  }
  return waits.length === 0 ? null : Math.min(...waits);
}

/** Returns for how long entries of a raffle are waited for; none of one that does not run. */
const leftMsOf = ({ state, endsAtMs }: Pick<Raffle, 'state' | 'endsAtMs'>, nowMs: number): number =>
  state === 'running' && endsAtMs !== null ? Math.max(0, endsAtMs + GRACE_MS - nowMs) : 0;

/**
 * Builds the list of raffles for which there may be something to do. Those whose items are all promised wait for their
 * viewers, and are not looked at before something of them comes back or ends.
 */
function listDue(serves: boolean) {
  const one = sql`1`;
  return (q: Tx) => {
    const rewardsIn = (states: readonly RewardState[]) =>
      q
        .select({ one })
        .from(rewards)
        .where(and(eq(rewards.ruleId, raffles.ruleId), within(rewards.state, states)));
    const held = q
      .select({ one })
      .from(raffleEntries)
      .where(and(eq(raffleEntries.raffleId, raffles.id), is(raffleEntries.placeState, 'held')));
    const isServable = or(
      exists(rewardsIn(['free'])),
      exists(held),
      notExists(rewardsIn(pendingRewardStates)),
    );
    return q
      .select({
        id: raffles.id,
        channelId: raffles.channelId,
        state: raffles.state,
        endsAtMs: raffles.endsAtMs,
      })
      .from(raffles)
      .where(
        and(
          within(raffles.state, movingRaffleStates),
          or(within(raffles.state, ['running', 'sealed']), serves ? isServable : undefined),
        ),
      )
      .orderBy(asc(raffles.id));
  };
}

const listServable = statement('servable_raffles', listDue(true));
const listOpen = statement('open_raffles', listDue(false));

const rethrow = (error: unknown): never => {
  throw error;
};

/** Takes one raffle as far as it can go, and returns for how long nothing has to be done. */
async function runRaffle(tx: ChannelTx, raffleId: string, nowMs: number): Promise<number> {
  const [raffle] = await readRaffle(tx, { raffleId });
  if (raffle && (await isFrozen(tx, raffle))) return SERVE_EVERY_MS;
  if (raffle?.state === 'running') return close(tx, raffle, nowMs);
  if (raffle?.state === 'sealed') return draw(tx, raffle, nowMs);
  if (raffle?.state === 'drawn') await announce(tx, raffle, await servePlaces(tx, raffle, nowMs), nowMs);
  return SERVE_EVERY_MS;
}

async function close(tx: ChannelTx, raffle: Raffle, nowMs: number): Promise<number> {
  const dueAtMs = (raffle.endsAtMs ?? nowMs) + GRACE_MS;
  if (nowMs < dueAtMs) {
    await checkpointWhenDue(tx, raffle, nowMs);
    return Math.min(SERVE_EVERY_MS, dueAtMs - nowMs);
  }
  const { id: raffleId, channelId, entryCount: entries, listHash, seed } = raffle;
  if (entries === 0 || listHash === null) {
    await endRaffleIn(tx, raffle, 'noEntries', nowMs);
    await queueAnnouncement(tx, { channelId, announcement: { kind: 'nobody', raffleId } }, nowMs);
    return SERVE_EVERY_MS;
  }
  const announcement = {
    kind: 'sealed',
    raffleId,
    entries,
    listHash,
    commitment: commitmentOf(seed),
  } as const;
  await queueAnnouncement(tx, { channelId, announcement }, nowMs);
  await moveRaffle(tx, raffle, 'sealed', { sealedAtMs: nowMs }, nowMs);
  return ANNOUNCED_FOR_MS;
}

/** Draws once the list's hash has stood in chat for a moment, or no chat has taken the line in time. */
async function draw(tx: ChannelTx, raffle: Raffle, nowMs: number): Promise<number> {
  const { announcedAtMs, sealedAtMs } = raffle;
  const isAnnounced = announcedAtMs !== null;
  const dueAtMs = isAnnounced ? announcedAtMs + ANNOUNCED_FOR_MS : (sealedAtMs ?? nowMs) + UNANNOUNCED_FOR_MS;
  if (nowMs < dueAtMs) return isAnnounced ? dueAtMs - nowMs : second;
  const { id: raffleId, listHash, seed } = raffle;
  const entries = await tx.select().from(raffleEntries).where(eq(raffleEntries.raffleId, raffleId));
  const ordered = inPlaces(seed, { raffleId, listHash: listHash ?? '' }, entries);
  await writePlaces(
    tx,
    raffleId,
    ordered.map(({ number }, index) => [number, index + 1]),
  );
  const drawn = await moveRaffle(tx, raffle, 'drawn', { drawnAtMs: nowMs }, nowMs);
  if (drawn) await announce(tx, drawn, await servePlaces(tx, drawn, nowMs), nowMs);
  return SERVE_EVERY_MS;
}

async function writePlaces(
  tx: ChannelTx,
  raffleId: string,
  places: readonly (readonly [number: number, place: number])[],
): Promise<void> {
  const given = rowsOf(places, { number: 'bigint', place: 'bigint' }, 'given');
  await tx
    .update(raffleEntries)
    .set({ place: sql`given.place`, placeState: 'waiting' } as never)
    .from(given as never)
    .where(and(eq(raffleEntries.raffleId, raffleId), sql`${raffleEntries.number} = given.number`));
}

/** Tells winners in chat, by the names they wrote with: those without an account do not hear of it otherwise. */
async function announce(
  tx: ChannelTx,
  { id: raffleId, channelId, ruleId }: Raffle,
  { promised, held }: ServedPlaces,
  nowMs: number,
): Promise<void> {
  const namesOf = (entries: ServedPlaces['held']) => entries.flatMap(({ name }) => name ?? []);
  if (promised.length + held.length === 0) return;
  const [rule] = await tx
    .select()
    .from(rules)
    .where(inArray(rules.id, [ruleId]));
  const announcement = {
    kind: 'drawn',
    raffleId,
    names: namesOf(promised),
    withoutAccount: namesOf(held),
    hours: rule?.claimTimeoutHours ?? 0,
  } as const;
  await queueAnnouncement(tx, { channelId, announcement }, nowMs);
}
