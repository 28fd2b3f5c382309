import { and, desc, eq, sql } from 'drizzle-orm';
import type { Database, Tx } from '#db/database.ts';
import { isAmong, numberAt } from '#db/dialect.ts';
import { raffleCheckpoints, raffleEntries, raffles } from '#db/schema/raffle.ts';
import { statement } from '#db/statement.ts';
import { insertInto, insertManyInto } from '#db/write.ts';
import { type ChannelTx, channelLock } from '#domain/kernel/locks.ts';
import { second } from '#domain/kernel/time.ts';
import { hashAfter } from './entry-list.ts';
import { fitEntrants } from './fit-entrants.ts';
import { type Raffle, readRaffle } from './move-raffle.ts';
import { queueAnnouncement } from './queue-announcement.ts';

/** The running hash is published, and the entries are acknowledged in chat, this often. */
export const CHECKPOINT_MS = 30 * second;

/** A line with the keyword. */
export interface Entrant {
  twitchId: string;
  name: string;
  /** Twitch's time of the line, as domain time. */
  enteredAtMs: number;
}

const insertEntries = insertManyInto(raffleEntries, 'raffle_entries');
const insertCheckpoint = insertInto(raffleCheckpoints, 'raffle_checkpoint');

const knownAmong = statement('known_entrants', (tx) =>
  tx
    .select({ twitchId: raffleEntries.twitchId })
    .from(raffleEntries)
    .where(
      and(
        eq(raffleEntries.raffleId, sql.placeholder('raffleId')),
        isAmong(raffleEntries.twitchId, sql.placeholder('twitchIds')),
      ),
    ),
);

const setList = statement('raffle_list', (tx) =>
  tx
    .update(raffles)
    .set({ entryCount: numberAt('entryCount'), listHash: sql`${sql.placeholder('listHash')}` })
    .where(eq(raffles.id, sql.placeholder('raffleId'))),
);

const readLastCheckpoint = statement('last_checkpoint', (tx) =>
  tx
    .select()
    .from(raffleCheckpoints)
    .where(eq(raffleCheckpoints.raffleId, sql.placeholder('raffleId')))
    .orderBy(desc(raffleCheckpoints.number))
    .limit(1),
);

/**
 * Takes down entries in the order of their lines, each viewer once: those that were written in time, by whoever may
 * enter. Entries given again change nothing. Returns how many are new.
 */
export async function recordEntries(
  db: Database,
  { raffleId, channelId, entrants }: { raffleId: string; channelId: string; entrants: readonly Entrant[] },
  nowMs: number,
): Promise<number> {
  return db.transaction(
    async (tx) => {
      const [raffle] = await readRaffle(tx, { raffleId });
      if (raffle?.state !== 'running') return 0;
      const fresh = await freshOnes(tx, raffle, entrants);
      const asking = fresh.map(({ twitchId }) => twitchId);
      const fit = await fitEntrants(tx, raffle, asking, nowMs);
      return write(
        tx,
        raffle,
        fresh.filter(({ twitchId }) => fit.has(twitchId)),
        nowMs,
      );
    },
    { lock: channelLock(channelId) },
  );
}

/** Returns each viewer's first line in time, unless they are in already, in the order of the lines. */
async function freshOnes(tx: Tx, raffle: Raffle, entrants: readonly Entrant[]): Promise<Entrant[]> {
  const { startedAtMs, endsAtMs } = raffle;
  const inTime = entrants
    .filter(({ enteredAtMs: atMs }) => atMs >= (startedAtMs ?? 0) && atMs < (endsAtMs ?? 0))
    .toSorted((one, other) => one.enteredAtMs - other.enteredAtMs);
  const twitchIds = JSON.stringify(inTime.map(({ twitchId }) => twitchId));
  const seen = new Set((await knownAmong(tx, { raffleId: raffle.id, twitchIds })).map((row) => row.twitchId));
  return inTime.filter(({ twitchId }) => !seen.has(twitchId) && seen.add(twitchId));
}

async function write(
  tx: ChannelTx,
  raffle: Raffle,
  entrants: readonly Entrant[],
  nowMs: number,
): Promise<number> {
  if (entrants.length === 0) return 0;
  let { entryCount: number, listHash } = raffle;
  const rows = entrants.map((entrant) => {
    number++;
    listHash = hashAfter(listHash ?? '', { ...entrant, number });
    return { raffleId: raffle.id, number, ...entrant };
  });
  await insertEntries(tx, rows);
  await setList(tx, { raffleId: raffle.id, entryCount: number, listHash });
  await checkpointWhenDue(tx, { ...raffle, entryCount: number, listHash }, nowMs);
  return rows.length;
}

/** Publishes the running hash if that was last done long enough ago and there are entries since. */
export async function checkpointWhenDue(tx: ChannelTx, raffle: Raffle, nowMs: number): Promise<void> {
  const { id: raffleId, channelId, entryCount, listHash, startedAtMs } = raffle;
  const [last] = await readLastCheckpoint(tx, { raffleId });
  const sinceMs = last?.atMs ?? startedAtMs ?? nowMs;
  if (listHash === null || entryCount === (last?.number ?? 0) || nowMs - sinceMs < CHECKPOINT_MS) return;
  await insertCheckpoint(tx, { raffleId, number: entryCount, hash: listHash, atMs: nowMs });
  await queueAnnouncement(
    tx,
    { channelId, announcement: { kind: 'entered', raffleId, entries: entryCount, listHash } },
    nowMs,
  );
}
