import { and, asc, desc, eq, isNotNull } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { twitchAccounts } from '#db/schema/account.ts';
import { channels } from '#db/schema/channel.ts';
import { items } from '#db/schema/item.ts';
import {
  type PassReason,
  type PlaceState,
  type RaffleEnd,
  type RaffleState,
  raffleCheckpoints,
  raffleEntries,
  raffles,
} from '#db/schema/raffle.ts';
import { type RewardState, rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { users } from '#db/schema/user.ts';
import { type Conditions, conditionColumns } from '#domain/condition/conditions.ts';
import { commitmentOf } from '#domain/draw/pick-candidate.ts';
import { headOf, type NamedTerms } from './entry-list.ts';
import { shownName } from './read-running.ts';

/** A raffle as it is published: everything that a check of it needs, and nobody's name who did not agree. */
export interface PublishedRaffle {
  id: string;
  channel: { id: string; login: string; name: string };
  state: RaffleState;
  endReason: RaffleEnd | null;
  keyword: string;
  item: { name: string; iconUrl: string; rarityTag: string; typeTag: string } | null;
  winners: number;
  conditions: Conditions;
  winnersOutDays: number;
  moderatorsMayEnter: boolean;
  claimTimeoutHours: number;
  startedAtMs: number | null;
  plannedEndMs: number | null;
  endsAtMs: number | null;
  sealedAtMs: number | null;
  /** Time at which the hash of the closed list was in chat; null if it is not known that a chat took it. */
  announcedAtMs: number | null;
  drawnAtMs: number | null;
  commitment: string;
  /** Null until the draw, or the end of a raffle that was cancelled after its start. */
  seed: string | null;
  /** The item and who may enter, as the head covers them. */
  terms: NamedTerms;
  /** The hash that the list begins with; null before the start. */
  head: string | null;
  listHash: string | null;
  entryCount: number;
  checkpoints: { number: number; hash: string; atMs: number }[];
}

/** Reads what is published of a raffle; null if there is none, or it is only prepared. */
export async function getRaffle(q: Reader, raffleId: string): Promise<PublishedRaffle | null> {
  const [row] = await q
    .select({
      raffle: raffles,
      channel: { id: channels.id, login: channels.login, name: channels.displayName },
      claimTimeoutHours: rules.claimTimeoutHours,
      conditions: conditionColumns,
    })
    .from(raffles)
    .innerJoin(channels, eq(channels.id, raffles.channelId))
    .innerJoin(rules, eq(rules.id, raffles.ruleId))
    .where(eq(raffles.id, raffleId));
  if (!row || row.raffle.startedAtMs === null || row.raffle.plannedEndMs === null) return null;
  const { raffle, channel, claimTimeoutHours, conditions } = row;
  const { id, keyword, winners, seed, startedAtMs, plannedEndMs } = raffle;
  const commitment = commitmentOf(seed ?? '');
  const [item = null] = await q
    .select({
      name: items.name,
      iconUrl: items.iconUrl,
      rarityTag: items.rarityTag,
      typeTag: items.typeTag,
    })
    .from(rewards)
    .innerJoin(items, eq(items.id, rewards.itemId))
    .where(eq(rewards.ruleId, raffle.ruleId))
    .orderBy(asc(rewards.position))
    .limit(1);
  const { state, endReason, winnersOutDays, moderatorsMayEnter } = raffle;
  const { endsAtMs, sealedAtMs, announcedAtMs, drawnAtMs, listHash, entryCount } = raffle;
  const times = { startedAtMs, plannedEndMs, endsAtMs, sealedAtMs, announcedAtMs, drawnAtMs };
  const terms = {
    raffleId: id,
    commitment,
    keyword,
    winners,
    startedAtMs: startedAtMs ?? 0,
    plannedEndMs: plannedEndMs ?? 0,
    terms: JSON.parse(raffle.terms ?? '[]') as NamedTerms,
  };
  const checkpoints = await q
    .select({ number: raffleCheckpoints.number, hash: raffleCheckpoints.hash, atMs: raffleCheckpoints.atMs })
    .from(raffleCheckpoints)
    .where(eq(raffleCheckpoints.raffleId, id))
    .orderBy(asc(raffleCheckpoints.number));
  return {
    id,
    channel,
    state,
    endReason,
    keyword,
    item,
    winners,
    conditions,
    winnersOutDays,
    moderatorsMayEnter,
    claimTimeoutHours,
    ...times,
    commitment,
    seed: drawnAtMs === null && state !== 'cancelled' ? null : seed,
    terms: terms.terms,
    head: headOf(terms),
    listHash,
    entryCount,
    checkpoints,
  };
}

/** A place as anybody may see it. */
export interface PublishedPlace {
  place: number;
  number: number;
  /** Null unless the viewer has an account that shows it. */
  name: string | null;
  state: PlaceState;
  passReason: PassReason | null;
  /** The state of its reward; null if it has none. */
  reward: RewardState | null;
  /** The reason why its reward was recalled, as of a promise. */
  recallReason: string | null;
  untilMs: number | null;
}

/** Lists the first places of a drawn raffle, in their order. */
export async function listPlaces(
  q: Reader,
  { raffleId, limit }: { raffleId: string; limit: number },
): Promise<PublishedPlace[]> {
  const rows = await q
    .select({
      place: raffleEntries.place,
      number: raffleEntries.number,
      name: shownName,
      state: raffleEntries.placeState,
      passReason: raffleEntries.passReason,
      reward: rewards.state,
      recallReason: rewards.recallReason,
      claimUntilMs: rewards.claimUntilMs,
      heldUntilMs: raffleEntries.heldUntilMs,
    })
    .from(raffleEntries)
    .leftJoin(rewards, eq(rewards.id, raffleEntries.rewardId))
    .leftJoin(twitchAccounts, eq(twitchAccounts.twitchId, raffleEntries.twitchId))
    .leftJoin(users, eq(users.id, twitchAccounts.userId))
    .where(and(eq(raffleEntries.raffleId, raffleId), isNotNull(raffleEntries.place)))
    .orderBy(asc(raffleEntries.place))
    .limit(limit);
  return rows.map(({ place, state, claimUntilMs, heldUntilMs, ...row }) => ({
    ...row,
    place: place ?? 0,
    state: state ?? 'waiting',
    untilMs: row.reward === 'promised' ? claimUntilMs : heldUntilMs,
  }));
}

/** Lists all entries in their order: numbers, Twitch ids and times, as the list's hash covers them. */
export const listEntries = (q: Reader, raffleId: string) =>
  q
    .select({
      number: raffleEntries.number,
      twitchId: raffleEntries.twitchId,
      enteredAtMs: raffleEntries.enteredAtMs,
      place: raffleEntries.place,
      state: raffleEntries.placeState,
      passReason: raffleEntries.passReason,
      /** The state of the place's reward; null if it has none. */
      reward: rewards.state,
      /** The reason for which its owner stopped the claim; null if nobody did. */
      stopped: rewards.stopReason,
    })
    .from(raffleEntries)
    .leftJoin(rewards, eq(rewards.id, raffleEntries.rewardId))
    .where(eq(raffleEntries.raffleId, raffleId))
    .orderBy(asc(raffleEntries.number));

/** Lists the names of the last entries, newest first; null for those who did not agree to be named. */
export const listLastEntries = (
  q: Reader,
  { raffleId, limit }: { raffleId: string; limit: number },
): Promise<{ number: number; name: string | null }[]> =>
  q
    .select({ number: raffleEntries.number, name: shownName })
    .from(raffleEntries)
    .leftJoin(twitchAccounts, eq(twitchAccounts.twitchId, raffleEntries.twitchId))
    .leftJoin(users, eq(users.id, twitchAccounts.userId))
    .where(eq(raffleEntries.raffleId, raffleId))
    .orderBy(desc(raffleEntries.number))
    .limit(limit);
