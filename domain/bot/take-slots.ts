import { and, eq, inArray, type SQL, sql } from 'drizzle-orm';
import type { Database, Reader, Tx } from '#db/database.ts';
import { bigint, databaseTime, isAmong, skipLocked } from '#db/dialect.ts';
import { leases, sharers } from '#db/schema/lease.ts';
import { statement } from '#db/statement.ts';
import {
  type Holder,
  isInForce,
  isPast,
  LEASE_MS,
  type Lease,
  type LeaseName,
  takeLeasesIn,
} from './take-leases.ts';

/** Number of parts into which the channels are divided, for as many processes at most. */
export const SLOTS = 32;

/** The slots of channels; slot 0 of `twitch` is for all of them. */
export const slotNames: readonly LeaseName[] = Array.from(
  { length: SLOTS },
  (_, place): LeaseName => `twitch:${place + 1}`,
);

/** The slot that a channel belongs to, for good. */
export function slotOf(channelId: string): LeaseName {
  return slotNames[channelHash(channelId) & (SLOTS - 1)] as LeaseName;
}

/** A number that spreads channels, the same in all processes (FNV-1a). */
export function channelHash(channelId: string): number {
  let hash = 0x811c9dc5;
  for (let place = 0; place < channelId.length; place++)
    hash = Math.imul(hash ^ channelId.charCodeAt(place), 0x01000193);
  return ((hash >>> 16) ^ hash) >>> 0;
}

/** The slots as they are shared: who has each, and the processes that live. */
export interface Shared {
  living: readonly string[];
  /** The holder of each slot; null if it is free. */
  holders: ReadonlyMap<LeaseName, string | null>;
}

/** The same as it is read. */
export interface SharedNow extends Shared {
  /** Milliseconds until the first of the processes that live does so no more, unless it says so anew. */
  lapsesInMs: number;
}

/** The changes for one process after which all have equally many slots. */
export interface SlotPlan {
  mine: readonly LeaseName[];
  /** Its own that it is to give up. */
  surplus: readonly LeaseName[];
  /** Free ones that it is to take. */
  wanted: readonly LeaseName[];
}

/**
 * Decides which slots a process keeps, gives up and takes. Whoever has the most is due one of those that are left when
 * the slots are divided, so nobody gives up more than is needed, and nothing moves any more once the shares are equal.
 */
export function planSlots(holder: string, { living, holders }: Shared): SlotPlan {
  const counts = new Map([...living, holder].map((one) => [one, 0]));
  for (const owner of holders.values())
    if (owner !== null && counts.has(owner)) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  const ranked = [...counts].sort(
    ([one, has], [other, otherHas]) => otherHas - has || (one < other ? -1 : Number(one > other)),
  );
  const rank = ranked.findIndex(([one]) => one === holder);
  const share = Math.floor(SLOTS / ranked.length) + Number(rank < SLOTS % ranked.length);
  const mine = slotNames.filter((name) => holders.get(name) === holder);
  const free = slotNames.filter((name) => (holders.get(name) ?? null) === null);
  // Processes that look at the same moment begin at different ones.
  const start = free.length === 0 ? 0 : (rank * share) % free.length;
  const inTurn = [...free.slice(start), ...free.slice(0, start)];
  return {
    mine,
    surplus: mine.slice(share),
    wanted: inTurn.slice(0, Math.max(0, share - mine.length)),
  };
}

const later = { untilMs: sql`${databaseTime} + ${bigint(LEASE_MS)}` };

const allSlots = JSON.stringify(slotNames);
const ofSlots = (isHeld: SQL) => (q: Tx) =>
  q
    .select({
      name: leases.name,
      holder: sql<string | null>`case when ${isHeld} then ${leases.holder} end`,
    })
    .from(leases)
    .where(isAmong(leases.name, sql.placeholder('slots')));
const readHolders = statement('slot_holders', ofSlots(isInForce));
const readHoldersAnd = statement(
  'slot_holders_and',
  ofSlots(sql`(${isInForce} or ${leases.holder} = ${sql.placeholder('named')})`),
);
const leftMs = sql<number>`${sharers.untilMs} - ${databaseTime}`;
const readLiving = statement('living_sharers', (q) =>
  q
    .select({ holder: sharers.holder, leftMs })
    .from(sharers)
    .where(sql`not ${isPast(sharers.untilMs)}`),
);
const lapseOf = (living: readonly { leftMs: number }[]): number =>
  Math.min(...living.map((one) => Number(one.leftMs)));

/**
 * Returns whether nothing is to move to or from a process until somebody's time is over. Slots of a process that lives no
 * more end a moment later than its own time.
 */
export function areSettled(holder: string, shared: Shared): boolean {
  const { surplus, wanted } = planSlots(holder, shared);
  const lives = (owner: string | null) =>
    owner !== null && (owner === holder || shared.living.includes(owner));
  return surplus.length === 0 && wanted.length === 0 && [...shared.holders.values()].every(lives);
}

/** Reads who has which slot, and who lives. Of a process that is named, slots are its own also when they have lapsed. */
export async function readSlots(q: Reader, named?: string): Promise<SharedNow> {
  const holders = await readHoldersOf(q, named);
  const living = await readLiving(q, {});
  return { living: living.map((one) => one.holder), holders, lapsesInMs: lapseOf(living) };
}

async function readHoldersOf(q: Reader, named?: string): Promise<Shared['holders']> {
  const asked = { slots: allSlots };
  const rows = await (named === undefined ? readHolders(q, asked) : readHoldersAnd(q, { ...asked, named }));
  const holders = new Map(slotNames.map((name): [LeaseName, string | null] => [name, null]));
  for (const { name, holder } of rows) holders.set(name as LeaseName, holder);
  return holders;
}

/**
 * Says that a process lives, renews its slots, and takes free ones up to its share. Returns the leases that it has now;
 * it goes on with the surplus until it gives that up (`releaseLeases`). `shared` is how it was before.
 */
export async function takeSlots(
  db: Database,
  holder: Holder,
): Promise<{ taken: Lease[]; surplus: readonly LeaseName[]; shared: SharedNow }> {
  return db.transaction(
    async (tx) => {
      const living = await register(tx, holder);
      const shared = {
        living: living.map((one) => one.holder),
        holders: await readHoldersOf(tx, holder.holder),
        lapsesInMs: lapseOf(living),
      };
      const { mine, surplus, wanted } = planSlots(holder.holder, shared);
      return { taken: await takeLeasesIn(tx, holder, [...mine, ...wanted]), surplus, shared };
    },
    { quiet: 'everywhere' },
  );
}

const readSharers = statement('sharers', (tx) =>
  tx
    .select({
      holder: sharers.holder,
      untilMs: sharers.untilMs,
      leftMs,
      isLapsed: sql<boolean>`${isPast(sharers.untilMs)}`,
    })
    .from(sharers),
);
const sayLiving = statement('sharer_lives', (tx) =>
  tx
    .insert(sharers)
    .values({
      holder: sql.placeholder('holder'),
      ...later,
      address: sql.placeholder('address'),
      version: sql.placeholder('version'),
    })
    .onConflictDoUpdate({ target: sharers.holder, set: later }),
);

type Sharer = Awaited<ReturnType<typeof readSharers>>[number];

type Living = Pick<Sharer, 'holder' | 'leftMs'>;

/** Says that a process lives, and deletes those that do no longer. Returns who lives now. */
async function register(tx: Tx, { holder, address, version }: Holder): Promise<Living[]> {
  const known = await readSharers(tx, {});
  await sayLiving(tx, { holder, address, version });
  const lapsed = known.filter(({ isLapsed }) => isLapsed).map((one) => one.holder);
  const prolonged = lapsedWith(known, holder);
  if (prolonged.length > 0) await prolong(tx, prolonged);
  const gone = lapsed.filter((one) => one !== holder && !prolonged.includes(one));
  if (gone.length > 0) await deleteLapsed(tx, gone);
  const others = known.filter((one) => one.holder !== holder && !gone.includes(one.holder));
  return [...others, { holder, leftMs: LEASE_MS }];
}

/** Deletes processes, unless they say in the meantime that they live, or another one is deleting them. */
async function deleteLapsed(tx: Tx, holders: readonly string[]): Promise<void> {
  const isLapsed = and(inArray(sharers.holder, [...holders]), isPast(sharers.untilMs));
  const gone = await skipLocked(tx.select({ holder: sharers.holder }).from(sharers).where(isLapsed));
  if (gone.length > 0)
    await tx.delete(sharers).where(
      inArray(
        sharers.holder,
        gone.map((one) => one.holder),
      ),
    );
}

/**
 * Returns the processes that lapsed at the same time as this one, if none is left. Then it was the database that was away,
 * and they are as alive as this one.
 */
function lapsedWith(known: readonly Sharer[], holder: string): string[] {
  const own = known.find((one) => one.holder === holder);
  if (!own || known.some((one) => !one.isLapsed)) return [];
  return known
    .filter((one) => one !== own && Math.abs(one.untilMs - own.untilMs) < LEASE_MS)
    .map((one) => one.holder);
}

/** Lets processes have their slots for a while longer, except where they are just doing so themselves. */
async function prolong(tx: Tx, holders: readonly string[]): Promise<void> {
  const absent = await skipLocked(
    tx
      .select({ holder: sharers.holder })
      .from(sharers)
      .where(inArray(sharers.holder, [...holders])),
  );
  const isTheirs = and(inArray(leases.name, [...slotNames]), inArray(leases.holder, [...holders]));
  const slots = await skipLocked(tx.select({ name: leases.name }).from(leases).where(isTheirs));
  await tx
    .update(sharers)
    .set(later)
    .where(
      inArray(
        sharers.holder,
        absent.map((one) => one.holder),
      ),
    );
  await tx
    .update(leases)
    .set(later)
    .where(
      inArray(
        leases.name,
        slots.map(({ name }) => name),
      ),
    );
}

/** Says that a process stops, so that the others share the slots that it gives up one after another. */
export async function stopSharing(db: Database, holder: string): Promise<void> {
  await db.transaction((tx) => deleteSharer(tx, holder), { quiet: true });
}

/** Gives up all slots of a process that stops, so that the others share them without waiting for their end. */
export async function leaveSlots(db: Database, holder: string): Promise<void> {
  await db.transaction(async (tx) => {
    await deleteSharer(tx, holder);
    await tx
      .update(leases)
      .set({ holder: null, untilMs: 0 })
      .where(sql`${inArray(leases.name, [...slotNames])} and ${eq(leases.holder, holder)}`);
  });
}

async function deleteSharer(tx: Tx, holder: string): Promise<void> {
  await tx.delete(sharers).where(eq(sharers.holder, holder));
}
