import { asc } from 'drizzle-orm';
import { expect } from 'vitest';
import type { Database } from '#db/database.ts';
import { draws } from '#db/schema/draw.ts';
import { items, ledgerEntries } from '#db/schema/item.ts';
import { holdingRaffleStates, type RaffleState, raffleEntries, raffles } from '#db/schema/raffle.ts';
import { endedRewards, liveRewardStates, type RewardState, rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { liveTransferStates, type TransferState, transferItems, transfers } from '#db/schema/transfer.ts';
import { commitmentOf, pickCandidate } from '#domain/draw/pick-candidate.ts';
import { kindNameOf } from '#domain/item/kind-name.ts';
import { hashAfter, headOf, inPlaces } from '#domain/raffle/entry-list.ts';

const isLive = (state: TransferState) => (liveTransferStates as readonly TransferState[]).includes(state);
const bindsItem = (state: RewardState) => (liveRewardStates as readonly RewardState[]).includes(state);

/** Keys that occur more than once. */
function repeated(keys: readonly (string | null)[]): string[] {
  const seen = new Set<string>();
  return keys.filter((key): key is string => key !== null && (seen.has(key) || !seen.add(key)));
}

/** Reads the whole database and checks everything that must hold after every step. */
export async function checkInvariants(
  db: Database,
  nowMs: number,
  received: ReadonlyMap<string, number>,
): Promise<void> {
  const q = db.read;
  const all = {
    items: await q.select().from(items),
    ledger: await q.select().from(ledgerEntries),
    rewards: await q.select().from(rewards),
    rules: await q.select().from(rules),
    transfers: await q.select().from(transfers),
    rows: await q.select().from(transferItems),
    draws: await q.select().from(draws).orderBy(asc(draws.ruleId), asc(draws.number)),
    ended: await q.select().from(endedRewards),
    raffles: await q.select().from(raffles),
    entries: await q
      .select()
      .from(raffleEntries)
      .orderBy(asc(raffleEntries.raffleId), asc(raffleEntries.number)),
  };
  oneOfEach(all);
  everythingAccountedFor(all, received);
  nothingUnfitPromised(all, nowMs);
  allMoveTogether(all);
  everyDrawProven(all);
  rewardsKnowTheirRule(all);
  claimsKnowTheirOwner(all);
  endedAreCounted(all);
  stopsAreRecorded(all);
  rafflesHoldWhatTheyGive(all);
  rafflesAreProven(all);
}

const holdsItems = (state: RaffleState) => (holdingRaffleStates as readonly RaffleState[]).includes(state);

/** A raffle holds one item for each place that may still get one, and none once it is over. */
function rafflesHoldWhatTheyGive(all: All): void {
  for (const { id, ruleId, state, winners } of all.raffles) {
    const own = all.rewards.filter((each) => each.ruleId === ruleId);
    const free = own.filter((each) => each.state === 'free').length;
    const held = all.entries.filter((each) => each.raffleId === id && each.placeState === 'held').length;
    expect(own.filter((each) => bindsItem(each.state)).length, `items of ${id}`).toBeLessThanOrEqual(winners);
    expect(held, `held places of ${id}`).toBeLessThanOrEqual(free);
    if (!holdsItems(state)) expect(free, `free items of ${id}, which is ${state}`).toBe(0);
    const given = own
      .filter(({ twitchId }) => twitchId !== null)
      .map((each) => `${each.id} ${each.twitchId}`);
    const placed = all.entries
      .filter((each) => each.raffleId === id && each.placeState === 'promised')
      .map((each) => `${each.rewardId} ${each.twitchId}`);
    expect(placed.sort(), `promises of ${id}`).toEqual(given.sort());
  }
}

/** The entries have the hash that was told of them, and the places are those that the seed gives them. */
function rafflesAreProven(all: All): void {
  for (const raffle of all.raffles) {
    const { id: raffleId, keyword, winners, startedAtMs, plannedEndMs, listHash, seed } = raffle;
    if (startedAtMs === null || plannedEndMs === null || listHash === null) continue;
    const entries = all.entries.filter((each) => each.raffleId === raffleId);
    expect(entries.map(({ number }) => number)).toEqual(entries.map((_, index) => index + 1));
    const commitment = commitmentOf(seed);
    const terms = JSON.parse(raffle.terms ?? '[]');
    const head = headOf({ raffleId, commitment, keyword, winners, startedAtMs, plannedEndMs, terms });
    expect(listHash, `the list of ${raffleId}`).toBe(entries.reduce(hashAfter, head));
    if (raffle.drawnAtMs === null) continue;
    const places = inPlaces(seed, { raffleId, listHash }, entries).map(({ number }) => number);
    const stored = entries.toSorted((one, other) => (one.place ?? 0) - (other.place ?? 0));
    expect(
      stored.map(({ number }) => number),
      `the places of ${raffleId}`,
    ).toEqual(places);
  }
}

/** A stopped claim ends, is being cancelled, or was accepted first; its reason stays on record. */
function stopsAreRecorded(all: All): void {
  for (const { id, state, stopReason, stopAskedAtMs, recallReason } of all.rewards) {
    if (recallReason === 'stopped') expect(stopReason, `the reason of ${id}`).not.toBeNull();
    if (stopReason === null) continue;
    expect(stopAskedAtMs, `when ${id} was stopped`).not.toBeNull();
    expect(['reserved', 'claimed', 'recalled'], `the state of ${id}`).toContain(state);
    const claims = all.transfers.filter((each) => each.rewardId === id && isLive(each.state));
    for (const claim of claims) expect(claim.cancelWanted, `the offer of ${id}`).toBe(true);
  }
}

/** Lists over all rules of a streamer or a channel are read by these columns. */
function rewardsKnowTheirRule(all: All): void {
  const rules = new Map(all.rules.map((rule) => [rule.id, rule]));
  for (const { id, ruleId, ownerId, channelId } of all.rewards) {
    const rule = rules.get(ruleId);
    expect({ ownerId, channelId }, `reward ${id}`).toEqual({
      ownerId: rule?.ownerId,
      channelId: rule?.channelId,
    });
  }
}

/** The claims on all rules of a streamer are read by this column. */
function claimsKnowTheirOwner(all: All): void {
  const owners = new Map(all.rewards.map((reward) => [reward.id, reward.ownerId]));
  for (const { id, rewardId, ruleOwnerId } of all.transfers)
    expect(ruleOwnerId, `transfer ${id}`).toBe(rewardId === null ? null : owners.get(rewardId));
}

/** The pages of a rule show the numbers of ended rewards, without reading any of those. */
function endedAreCounted(all: All): void {
  const kinds = new Map(all.items.map((item) => [item.id, `${item.appId} ${kindNameOf(item)}`]));
  const counts: Record<string, { claimed: number; recalled: number }> = {};
  for (const { ruleId, itemId, state } of all.rewards) {
    if (state !== 'claimed' && state !== 'recalled') continue;
    const kind = `${ruleId} ${kinds.get(itemId)}`;
    counts[kind] ??= { claimed: 0, recalled: 0 };
    counts[kind][state]++;
  }
  const saved = all.ended.map(({ ruleId, appId, kindName, claimed, recalled }) => [
    `${ruleId} ${appId} ${kindName}`,
    { claimed, recalled },
  ]);
  expect(Object.fromEntries(saved), 'ended rewards by rule and kind').toEqual(counts);
  for (const { itemId, appId, kindName } of all.ended)
    expect(kinds.get(itemId), `the item that shows ${kindName}`).toBe(`${appId} ${kindName}`);
}

type All = {
  items: (typeof items.$inferSelect)[];
  ledger: (typeof ledgerEntries.$inferSelect)[];
  rewards: (typeof rewards.$inferSelect)[];
  rules: (typeof rules.$inferSelect)[];
  transfers: (typeof transfers.$inferSelect)[];
  rows: (typeof transferItems.$inferSelect)[];
  draws: (typeof draws.$inferSelect)[];
  ended: (typeof endedRewards.$inferSelect)[];
  raffles: (typeof raffles.$inferSelect)[];
  entries: (typeof raffleEntries.$inferSelect)[];
};

/** Invariant 1. */
function oneOfEach(all: All): void {
  const live = all.rewards.filter(({ state }) => bindsItem(state));
  expect(repeated(live.map(({ itemId }) => itemId)), 'live rewards of one item').toEqual([]);
  const promises = all.rewards.map(({ ruleId, twitchId }) => twitchId && `${ruleId} ${twitchId}`);
  expect(repeated(promises), 'promises of one rule to one viewer').toEqual([]);
  const claims = all.transfers.filter(({ state }) => isLive(state)).map(({ rewardId }) => rewardId);
  expect(repeated(claims), 'live transfers of one reward').toEqual([]);
  const open = all.rows.filter((row) => row.open).map(({ appId, assetId }) => `${appId}/${assetId}`);
  expect(repeated(open), 'open offers of one asset').toEqual([]);
}

/** Invariant 2: nothing deposited is lost, and the ledger alone knows who holds it. */
function everythingAccountedFor(all: All, received: ReadonlyMap<string, number>): void {
  for (const [ownerId, amount] of received)
    expect(all.items.filter((item) => item.ownerId === ownerId).length, 'items received').toBe(amount);
  const stands = all.items.map(({ id, state, botId }) => [id, state === 'held' ? `held:${botId}` : state]);
  expect(holdersIn(all.ledger), 'the ledger’s holders').toEqual(Object.fromEntries(stands));
}

/**
 * Returns the holder that each item's entries lead to from outside, in whatever order they stand: their ids
 * follow the clocks of several processes, and one that waited for another's transaction wrote the time before
 * it waited. An item came once more to its holder than it left it, and as often to every other.
 */
function holdersIn(ledger: All['ledger']): Record<string, string> {
  const balances = new Map<string, Map<string, number>>();
  for (const { itemId, fromHolder, toHolder } of ledger) {
    const balance = balances.get(itemId) ?? new Map([['outside', 1]]);
    balances.set(itemId, balance);
    balance.set(fromHolder, (balance.get(fromHolder) ?? 0) - 1);
    balance.set(toHolder, (balance.get(toHolder) ?? 0) + 1);
  }
  const left = (balance: Map<string, number>) =>
    [...balance].flatMap(([holder, times]) =>
      times === 0 ? [] : [times === 1 ? holder : `${times} times ${holder}`],
    );
  return Object.fromEntries([...balances].map(([id, balance]) => [id, left(balance).join(' and ')]));
}

/** Invariant 3. A promise stays when its item goes missing afterwards; it is never made then. */
function nothingUnfitPromised(all: All, nowMs: number): void {
  for (const { state, itemId, ruleId, twitchId, userId, promisedAtMs } of all.rewards) {
    if (state !== 'promised') continue;
    const item = all.items.find(({ id }) => id === itemId);
    const allowed = promisedAtMs === nowMs ? ['held'] : ['held', 'missing', 'gone'];
    expect(allowed, 'the state of a promised item').toContain(item?.state);
    expect(item?.lockedUntilMs, 'the lock of a promised item').toBeLessThanOrEqual(nowMs);
    const rule = all.rules.find(({ id }) => id === ruleId);
    expect([rule?.ownerId, rule?.channelId], 'whom a rule serves').not.toContain(userId);
    expect(twitchId).not.toBe(rule?.channelId);
  }
}

/** A transfer, its rows, its items and its reward always agree. */
function allMoveTogether(all: All): void {
  const transferOf = (id: string) => all.transfers.find((each) => each.id === id);
  for (const row of all.rows) {
    const live = isLive(transferOf(row.transferId)?.state ?? 'failed');
    expect(row.open, 'an asset is bound while its transfer is live').toBe(live);
  }
  for (const { id, state } of all.items) {
    const moving = all.rows.filter((row) => row.open && row.itemId === id).length;
    if (state === 'outgoing') expect(moving, 'live transfers of an outgoing item').toBe(1);
    if (state === 'held' || state === 'delivered') expect(moving, 'live transfers of a resting item').toBe(0);
  }
  for (const reward of all.rewards) {
    const claims = all.transfers.filter(({ rewardId, state }) => rewardId === reward.id && isLive(state));
    expect(claims.length, `live claims of a ${reward.state} reward`).toBe(
      reward.state === 'reserved' ? 1 : 0,
    );
    const itemState = all.items.find(({ id }) => id === reward.itemId)?.state;
    if (reward.state === 'free') expect(['held', 'missing', 'gone']).toContain(itemState);
    if (reward.state === 'claimed') expect(['delivered', 'gone']).toContain(itemState);
  }
}

/** Each promise of a random rule comes from one draw that anybody can repeat; other rules draw nothing. */
function everyDrawProven(all: All): void {
  for (const rule of all.rules) {
    const drawn = all.draws.filter(({ ruleId }) => ruleId === rule.id);
    const promises = all.rewards.filter(({ ruleId, twitchId }) => ruleId === rule.id && twitchId !== null);
    const made = promises.map(({ id, twitchId }) => `${id} for ${twitchId}`);
    const proven = drawn.map(({ rewardId, twitchId }) => `${rewardId} for ${twitchId}`);
    expect(proven.sort(), 'draws of a rule').toEqual(rule.type === 'random' ? made.sort() : []);
    expect(
      drawn.map(({ number }) => number),
      'the numbers of a rule’s draws',
    ).toEqual(drawn.map((_, place) => place + 1));
    for (const draw of drawn) {
      const again = pickCandidate(rule.seed, draw, draw.candidates);
      expect(draw.rewardId, 'a draw done again').toBe(again.rewardId);
    }
  }
}
