import { bots } from '#db/schema/bot.ts';
import { items } from '#db/schema/item.ts';
import { rewards } from '#db/schema/reward.ts';
import { type TransferState, transferItems, transfers } from '#db/schema/transfer.ts';
import { offerState, tradeStatus, type WorldState } from '#sandbox/steam/state.ts';
import type { Stage } from './stage.ts';

type Transfer = typeof transfers.$inferSelect;
const delivered: readonly TransferState[] = ['accepted', 'settled', 'reversed'];

/** Compares our records of items and offers with Steam. */
export async function checkSteam(stage: Stage, steam: WorldState): Promise<string[]> {
  const q = stage.db.read;
  const all = {
    bots: await q.select().from(bots),
    items: await q.select().from(items),
    rewards: await q.select().from(rewards),
    rows: await q.select().from(transferItems),
    transfers: await q.select().from(transfers),
  };
  return [
    ...eachAssetOnce(steam),
    ...itemsWhereWeSay(steam, all, stage.tradeBots),
    ...movesAsWeSay(steam, all),
    ...offersOfTransfers(steam, all.transfers, stage.tradeBots),
    ...claimsOfRewards(all),
    ...takenClaims(stage, all),
  ];
}

interface Stored {
  bots: (typeof bots.$inferSelect)[];
  items: (typeof items.$inferSelect)[];
  rewards: (typeof rewards.$inferSelect)[];
  rows: (typeof transferItems.$inferSelect)[];
  transfers: Transfer[];
}

function eachAssetOnce({ people }: WorldState): string[] {
  const seen = new Set<string>();
  const keys = people.flatMap(({ items: own }) => own.map(({ appid, assetid }) => `${appid}/${assetid}`));
  return keys
    .filter((key) => seen.has(key) || !seen.add(key))
    .map((key) => `asset ${key} is in two inventories`);
}

/** Each bot has exactly the assets of the items in its custody. */
function itemsWhereWeSay({ people }: WorldState, stored: Stored, tradeBots: readonly string[]): string[] {
  const steamIdOf = new Map(stored.bots.map(({ id, steamId }) => [id, steamId ?? '']));
  const held = stored.items.filter(({ state }) => state === 'held' || state === 'outgoing');
  const written = new Set(
    held.map(({ botId, appId, assetId }) => `${steamIdOf.get(botId)} ${appId}/${assetId}`),
  );
  const inHand = new Set(
    people
      .filter(({ steamId }) => tradeBots.includes(steamId))
      .flatMap(({ steamId, items: own }) =>
        own.map(({ appid, assetid }) => `${steamId} ${appid}/${assetid}`),
      ),
  );
  return [
    ...[...written]
      .filter((key) => !inHand.has(key))
      .map((key) => `an item is written down that no bot has: ${key}`),
    ...[...inHand].filter((key) => !written.has(key)).map((key) => `a bot has what is no item: ${key}`),
  ];
}

/** Deliveries arrived under the recorded asset ids; where Steam tells none, under any, from the asset that was given. */
function movesAsWeSay({ trades }: WorldState, { rows, transfers: known }: Stored): string[] {
  const arrivals = new Set(
    trades.flatMap(({ moves }) =>
      moves.flatMap(({ to, item, newAssetid }) => [
        `${to} ${item.appid}/${newAssetid}`,
        `${to} ${item.appid}/from ${item.assetid}`,
      ]),
    ),
  );
  const transferOf = new Map(known.map((transfer) => [transfer.id, transfer]));
  return rows.flatMap(({ transferId, appId, assetId, newAssetId }) => {
    const transfer = transferOf.get(transferId);
    if (!transfer || transfer.kind === 'deposit' || !delivered.includes(transfer.state)) return [];
    const key = `${transfer.partnerSteamId} ${appId}/${newAssetId ?? `from ${assetId}`}`;
    return arrivals.has(key) ? [] : [`transfer ${transferId} delivered what never arrived: ${key}`];
  });
}

/**
 * At most one offer per transfer, all of them known and in the same state on both sides; and no incoming offer was
 * accepted.
 */
function offersOfTransfers(
  { offers, trades }: WorldState,
  known: readonly Transfer[],
  tradeBots: readonly string[],
): string[] {
  const found: string[] = [];
  const never = neverInCustody({ offers, trades }, known);
  const ours = offers.filter(({ from }) => tradeBots.includes(from));
  for (const offer of ours) {
    const accepted = offer.state === offerState.accepted && !never.has(offer.id);
    const sameCode = known.filter(({ securityCode }) => offer.message.includes(securityCode));
    const [transfer] = sameCode;
    const others = ours.filter(({ message }) => transfer && message.includes(transfer.securityCode));
    if (!transfer || transfer.offerId !== offer.id)
      found.push(
        `offer ${offer.id} in state ${offer.state} is no transfer's: ${transfer?.id ?? offer.message}`,
      );
    else if (delivered.includes(transfer.state) !== accepted)
      found.push(
        `offer ${offer.id} is in state ${offer.state}, its transfer ${transfer.id} is ${transfer.state}`,
      );
    if (others.length > 1)
      found.push(`transfer ${transfer?.id} has the offers ${others.map(({ id }) => id).join(', ')}`);
  }
  for (const { offerId, state, id } of known)
    if (delivered.includes(state) && !ours.some((offer) => offer.id === offerId))
      found.push(`transfer ${id} is ${state} without an offer`);
  for (const { id, to, state } of offers)
    if (tradeBots.includes(to) && state === offerState.accepted) found.push(`a bot accepted offer ${id}`);
  return found;
}

/** Delivered rewards are claimed, reversed ones are not, and nobody has two rewards of one rule. */
function claimsOfRewards({ rewards: all, transfers: known }: Stored): string[] {
  const found: string[] = [];
  const winners = new Set<string>();
  for (const reward of all) {
    const claims = known.filter(({ rewardId }) => rewardId === reward.id);
    const standing = claims.filter(({ state }) => state === 'accepted' || state === 'settled');
    if (standing.length !== (reward.state === 'claimed' ? 1 : 0))
      found.push(`reward ${reward.id} is ${reward.state} and was delivered ${standing.length} times`);
    for (const { partnerSteamId } of standing) {
      const winner = `${partnerSteamId} of rule ${reward.ruleId}`;
      if (winners.has(winner)) found.push(`two rewards went to ${winner}`);
      winners.add(winner);
    }
  }
  return found;
}

/** A claim that was answered as taken is stored. */
function takenClaims({ claimed }: Stage, { transfers: known }: Stored): string[] {
  const stored = new Set(known.map(({ rewardId }) => rewardId));
  return [...claimed].flatMap((id) => (stored.has(id) ? [] : [`the claim of reward ${id} is lost`]));
}

/** Offers of deposits that were reversed before we saw them accepted: nothing of them was ever in custody. */
export function neverInCustody(
  { offers, trades }: Pick<WorldState, 'offers' | 'trades'>,
  known: readonly Pick<Transfer, 'kind' | 'state' | 'offerId'>[],
): ReadonlySet<string> {
  const reversed = new Set(
    trades.flatMap(({ id, status }) => (status === tradeStatus.protectionRollback ? [id] : [])),
  );
  const failed = new Set(
    known.flatMap(({ kind, state, offerId }) => (kind === 'deposit' && state === 'failed' ? [offerId] : [])),
  );
  return new Set(
    offers.flatMap(({ id, tradeId }) => (failed.has(id) && tradeId && reversed.has(tradeId) ? [id] : [])),
  );
}

/** Counts the items that came into custody from each streamer, according to Steam. */
export async function receivedFrom(stage: Stage, steam: WorldState): Promise<Map<string, number>> {
  const never = neverInCustody(steam, await stage.db.read.select().from(transfers));
  const received = new Map<string, number>();
  for (const { userId, steamId } of stage.streamers) {
    const deposits = steam.offers.filter(
      ({ id, from, to, state }) =>
        to === steamId && stage.tradeBots.includes(from) && state === offerState.accepted && !never.has(id),
    );
    received.set(
      userId,
      deposits.reduce((sum, { receive }) => sum + receive.length, 0),
    );
  }
  return received;
}
