import { and, asc, eq, isNotNull, sql } from 'drizzle-orm';
import { is, within } from '#db/dialect.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { channels } from '#db/schema/channel.ts';
import { items } from '#db/schema/item.ts';
import { type PassReason, raffleEntries } from '#db/schema/raffle.ts';
import { pendingRewardStates, rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { users } from '#db/schema/user.ts';
import type { ServedRule, Waiting } from '#domain/draw/waiting-list.ts';
import { available } from '#domain/item/available.ts';
import type { ChannelTx } from '#domain/kernel/locks.ts';
import { hour } from '#domain/kernel/time.ts';
import { promiseRewards } from '#domain/reward/promise-rewards.ts';
import { detachFree } from '#domain/rule/detach-rewards.ts';
import { fitEntrants } from './fit-entrants.ts';
import { moveRaffle, type Raffle } from './move-raffle.ts';

type Entry = typeof raffleEntries.$inferSelect;

/** A held place that is taken late leaves at least this long to claim. */
const SHORTEST_CLAIM_HOURS = 1;
/** Places that are looked at together. */
const PLACES_AT_ONCE = 50;
/** Slices of places in one round; the next round goes on, so that the channel's lock is not held for all of a long list. */
const MAX_SLICES = 5;

/** The places that got something, or are kept, in a round. */
export interface ServedPlaces {
  promised: Entry[];
  held: Entry[];
}

/**
 * Gives the free items of a drawn raffle to its places, in their order. A winner without an account keeps the place for
 * the claim window. What nobody is left for goes back to its owner. The channel's lock is held, so that two processes
 * serve one after the other.
 */
export async function servePlaces(tx: ChannelTx, raffle: Raffle, nowMs: number): Promise<ServedPlaces> {
  const served: ServedPlaces = { promised: [], held: [] };
  const rule = await readRule(tx, raffle);
  if (!rule || rule.frozenAtMs !== null) return served;
  const free = await freeOf(tx, raffle.ruleId, nowMs);
  const held = await serveHeld(tx, { raffle, rule, free, served }, nowMs);
  let left = free.length - held;
  for (let slice = 0; slice < MAX_SLICES && left > 0; slice++) {
    const next = await nextPlaces(tx, raffle.id);
    if (next.length === 0) break;
    left -= await serveNext(tx, { raffle, rule, free, served }, { places: next, left }, nowMs);
  }
  await finishWhenOver(tx, raffle, nowMs);
  return served;
}

interface Serving {
  raffle: Raffle;
  rule: ServedRule;
  /** The rewards that are free, the next one first. Those that were given leave it. */
  free: FreeReward[];
  served: ServedPlaces;
}

/** Returns how many of the free rewards are kept for held places. */
async function serveHeld(tx: ChannelTx, serving: Serving, nowMs: number): Promise<number> {
  const { raffle } = serving;
  const held = await tx
    .select()
    .from(raffleEntries)
    .where(and(eq(raffleEntries.raffleId, raffle.id), is(raffleEntries.placeState, 'held')))
    .orderBy(asc(raffleEntries.place));
  let amount = 0;
  for (const entry of held) {
    const viewer = await accountOf(tx, entry.twitchId);
    const untilMs = entry.heldUntilMs ?? 0;
    const reason = viewer && (await heldPassReasonOf(tx, raffle, viewer));
    const hours = Math.max(SHORTEST_CLAIM_HOURS, (untilMs - nowMs) / hour);
    if (reason) await pass(tx, entry, reason);
    else if (viewer) amount += Number(!(await promise(tx, serving, { entry, viewer, hours }, nowMs)));
    else if (untilMs <= nowMs) await pass(tx, entry, 'notTaken');
    else amount++;
  }
  return amount;
}

/** Serves these places while rewards are left, and returns how many of them take one. */
async function serveNext(
  tx: ChannelTx,
  serving: Serving,
  { places, left }: { places: readonly Entry[]; left: number },
  nowMs: number,
): Promise<number> {
  const { raffle, rule, served } = serving;
  const fit = await fitEntrants(tx, raffle, idsOf(places), nowMs);
  let taken = 0;
  for (const entry of places) {
    if (taken === left) break;
    const viewer = await accountOf(tx, entry.twitchId);
    const reason = await passReasonOf(tx, raffle, { entry, viewer, fit });
    if (reason) {
      await pass(tx, entry, reason);
      continue;
    }
    taken++;
    const hours = rule.claimTimeoutHours;
    // An item that cannot be promised now, as while a bot does not find it, is kept for its place.
    if (viewer && (await promise(tx, serving, { entry, viewer, hours }, nowMs))) continue;
    await patch(tx, entry, { placeState: 'held', heldUntilMs: nowMs + hours * hour });
    served.held.push(entry);
  }
  return taken;
}

const idsOf = (entries: readonly Entry[]): string[] => entries.map(({ twitchId }) => twitchId);

/** Returns why a place gets nothing; null if it may have one. `fit` are those who may take part now. */
async function passReasonOf(
  tx: ChannelTx,
  raffle: Raffle,
  { entry, viewer, fit }: { entry: Entry; viewer: Waiting | null; fit: ReadonlySet<string> },
): Promise<PassReason | null> {
  if (viewer && (await hasOne(tx, raffle, viewer))) return 'hasOne';
  return fit.has(entry.twitchId) ? null : 'unfit';
}

/**
 * Returns why a place that was kept gets nothing; null if it gets its item. It was judged as it was drawn, and nothing that
 * the streamer does to its winner since takes it away.
 */
async function heldPassReasonOf(tx: ChannelTx, raffle: Raffle, viewer: Waiting): Promise<PassReason | null> {
  if (await hasOne(tx, raffle, viewer)) return 'hasOne';
  return viewer.userId === raffle.ownerId ? 'unfit' : null;
}

/** Returns whether the same person was promised one of this raffle's items with another Twitch account. */
async function hasOne(tx: ChannelTx, { ruleId }: Raffle, { userId }: Waiting): Promise<boolean> {
  const theirs = and(eq(rewards.ruleId, ruleId), eq(rewards.userId, userId));
  return (await tx.$count(rewards, theirs)) > 0;
}

/** Promises the first item that can be promised now. Returns false if there is none. */
async function promise(
  tx: ChannelTx,
  { free, rule, served }: Serving,
  { entry, viewer, hours }: { entry: Entry; viewer: Waiting; hours: number },
  nowMs: number,
): Promise<boolean> {
  const place = free.findIndex(({ isAvailable }) => isAvailable);
  const [reward] = place < 0 ? [] : free.splice(place, 1);
  if (!reward) return false;
  const pairing = { rule: { ...rule, claimTimeoutHours: hours }, viewer, reward };
  if ((await promiseRewards(tx, [pairing], nowMs)) === 0) return false;
  await patch(tx, entry, { placeState: 'promised', rewardId: reward.id, heldUntilMs: null });
  served.promised.push(entry);
  return true;
}

const pass = (tx: ChannelTx, entry: Entry, passReason: PassReason): Promise<void> =>
  patch(tx, entry, { placeState: 'passed', passReason, heldUntilMs: null });

async function patch(tx: ChannelTx, { raffleId, number }: Entry, values: Partial<Entry>): Promise<void> {
  await tx
    .update(raffleEntries)
    .set(values)
    .where(and(eq(raffleEntries.raffleId, raffleId), eq(raffleEntries.number, number)));
}

interface FreeReward {
  id: string;
  itemName: string;
  isAvailable: boolean;
}

/** Lists the raffle's free rewards, those whose items cannot be promised now too: they are nobody else's. */
async function freeOf(tx: ChannelTx, ruleId: string, nowMs: number): Promise<FreeReward[]> {
  const rows = await tx
    .select({
      id: rewards.id,
      itemName: items.name,
      isAvailable: sql<number>`case when ${available(nowMs)} then 1 else 0 end`.mapWith(Number),
    })
    .from(rewards)
    .innerJoin(items, eq(items.id, rewards.itemId))
    .where(and(eq(rewards.ruleId, ruleId), is(rewards.state, 'free')))
    .orderBy(asc(rewards.position));
  return rows.map((row) => ({ ...row, isAvailable: row.isAvailable === 1 }));
}

const nextPlaces = (tx: ChannelTx, raffleId: string): Promise<Entry[]> =>
  tx
    .select()
    .from(raffleEntries)
    .where(
      and(
        eq(raffleEntries.raffleId, raffleId),
        isNotNull(raffleEntries.place),
        is(raffleEntries.placeState, 'waiting'),
      ),
    )
    .orderBy(asc(raffleEntries.place))
    .limit(PLACES_AT_ONCE);

/** Finds the verified account that has this Twitch account; null if there is none. */
async function accountOf(tx: ChannelTx, twitchId: string): Promise<Waiting | null> {
  const [viewer] = await tx
    .select({
      twitchId: twitchAccounts.twitchId,
      displayName: twitchAccounts.displayName,
      userId: users.id,
      email: users.email,
      name: users.name,
      locale: users.locale,
      notifyByMail: users.notifyByMail,
    })
    .from(twitchAccounts)
    .innerJoin(users, and(eq(users.id, twitchAccounts.userId), isNotNull(users.emailVerifiedAtMs)))
    .where(eq(twitchAccounts.twitchId, twitchId));
  return viewer ?? null;
}

async function readRule(
  tx: ChannelTx,
  { ruleId }: Raffle,
): Promise<(ServedRule & { frozenAtMs: number | null }) | null> {
  const [rule] = await tx
    .select({
      id: rules.id,
      lineId: rules.id,
      name: rules.name,
      ownerId: rules.ownerId,
      channelId: rules.channelId,
      channelName: channels.displayName,
      claimTimeoutHours: rules.claimTimeoutHours,
      sendDelayHours: rules.sendDelayHours,
      seed: rules.seed,
      frozenAtMs: rules.frozenAtMs,
    })
    .from(rules)
    .innerJoin(channels, eq(channels.id, rules.channelId))
    .where(eq(rules.id, ruleId));
  // The raffle has lines of its own about its winners.
  return rule ? { ...rule, announces: false } : null;
}

/** Returns what is free to its owner once no place is left, and ends the raffle once nothing is under way. */
async function finishWhenOver(tx: ChannelTx, raffle: Raffle, nowMs: number): Promise<void> {
  const { id, ruleId, ownerId } = raffle;
  const isHeld = and(eq(raffleEntries.raffleId, id), is(raffleEntries.placeState, 'held'));
  const isWaiting = (await nextPlaces(tx, id)).length > 0;
  const free = await freeOf(tx, ruleId, nowMs);
  const held = await tx.select().from(raffleEntries).where(isHeld).orderBy(asc(raffleEntries.place));
  if (!isWaiting) {
    const ids = free.slice(held.length).map(({ id: rewardId }) => rewardId);
    await detachFree(tx, { ownerId, ids, recallReason: 'raffleOver' }, nowMs);
  }
  // An item may be lost meanwhile, with its deposit, though a place waits for it.
  for (const entry of held.slice(free.length)) await pass(tx, entry, 'itemGone');
  const pending = and(eq(rewards.ruleId, ruleId), within(rewards.state, pendingRewardStates));
  if (free.length > 0 && (isWaiting || held.length > 0)) return;
  if ((await tx.$count(rewards, pending)) > 0) return;
  if (!(await moveRaffle(tx, raffle, 'finished', { endedAtMs: nowMs }, nowMs))) return;
  await tx.update(raffleEntries).set({ name: null }).where(eq(raffleEntries.raffleId, id));
}
