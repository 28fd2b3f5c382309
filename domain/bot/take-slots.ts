import { and, eq, inArray, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { Database, Reader, Tx } from '#db/database.ts';
import { bigint, commaSeparated, databaseTime, isAmong, skipLocked } from '#db/dialect.ts';
import { leases, sharers } from '#db/schema/lease.ts';
import { statement } from '#db/statement.ts';
import {
  type Holder,
  isInForce,
  isPast,
  LEASE_MS,
  type Lease,
  type LeaseName,
  takeLeases,
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
type Living = Pick<typeof sharers.$inferSelect, 'holder'> & { leftMs: number };

const sharedBy = (
  living: readonly Living[],
  held: readonly (readonly [LeaseName, string | null])[],
): SharedNow => ({
  living: living.map(({ holder }) => holder),
  holders: new Map([...slotNames.map((name) => [name, null] as const), ...held]),
  lapsesInMs: Math.min(...living.map((one) => Number(one.leftMs))),
});

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
  const held = await readHeld(q, named);
  return sharedBy(await readLiving(q, {}), held);
}

async function readHeld(q: Reader, named?: string): Promise<[LeaseName, string | null][]> {
  const asked = { slots: allSlots };
  const rows = await (named === undefined ? readHolders(q, asked) : readHoldersAnd(q, { ...asked, named }));
  return rows.map(({ name, holder }) => [name as LeaseName, holder]);
}

/**
 * Says that a process lives, renews its slots, and takes free ones up to its share. Returns the leases that it has now;
 * it goes on with the surplus until it gives that up (`releaseLeases`). `shared` is how it was before.
 */
export async function takeSlots(
  db: Database,
  holder: Holder,
): Promise<{ taken: Lease[]; surplus: readonly LeaseName[]; shared: SharedNow }> {
  const shared = (await stay(db, holder.holder)) ?? (await join(db, holder));
  const { mine, surplus, wanted } = planSlots(holder.holder, shared);
  return { taken: await takeLeases(db, holder, [...mine, ...wanted]), surplus, shared };
}

const isHeld = sql`${leases.holder} is not null and (${isInForce} or ${leases.holder} = ${sql.placeholder('holder')})`;
const isSlot = isAmong(leases.name, sql.placeholder('slots'));
const pairOf = (...[one, other]: [SQLWrapper, SQLWrapper]) =>
  commaSeparated(sql`(${one}) || ' ' || ${other}`);
const isAnyLapsed = sql`exists (select 1 from ${sharers} where ${isPast(sharers.untilMs)})`;
/** Reads all as it was before in the same trip. */
const renewSharer = statement('sharer_renewed', (tx) =>
  tx
    .update(sharers)
    .set(later)
    .where(sql`${sharers.holder} = ${sql.placeholder('holder')} and not ${isAnyLapsed}`)
    .returning({
      living: sql<string>`(select ${pairOf(leftMs, sharers.holder)} from ${sharers})`,
      held: sql<string | null>`(
        select ${pairOf(leases.name, leases.holder)} from ${leases} where ${isSlot} and ${isHeld}
      )`,
    }),
);

/** The first of each pair has no space. */
const readPairs = (text: string | null): [string, string][] =>
  [...(text ?? '').matchAll(/([^ ,]+) ([^,]+)/g)].map(([, one = '', other = '']) => [one, other]);

/** Says that a process still lives. Returns null if it is not known, or if it or another one lives no longer. */
async function stay(db: Database, holder: string): Promise<SharedNow | null> {
  const [found] = await db.heartbeat((tx) => renewSharer(tx, { holder, slots: allSlots }));
  if (!found) return null;
  const living = readPairs(found.living).map(([left, one]) => ({
    holder: one,
    leftMs: one === holder ? LEASE_MS : Number(left),
  }));
  return sharedBy(living, readPairs(found.held) as [LeaseName, string][]);
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
const addSharer = statement('sharer_added', (tx) =>
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

/** Makes a process known again, or for the first time, and deletes those that live no longer. */
const join = (db: Database, holder: Holder): Promise<SharedNow> =>
  db.transaction(
    async (tx) => {
      const living = await register(tx, holder);
      return sharedBy(living, await readHeld(tx, holder.holder));
    },
    { quiet: 'everywhere' },
  );

/** Returns who lives now. */
async function register(tx: Tx, { holder, address, version }: Holder): Promise<Living[]> {
  const known = await readSharers(tx, {});
  await addSharer(tx, { holder, address, version });
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
