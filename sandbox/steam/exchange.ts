import { openContextOf } from './catalogue.ts';
import { personOf } from './people.ts';
import { findArrived, hasPieces, putPieces, takePieces } from './stacks.ts';
import {
  type OfferState,
  offerState,
  type SteamItem,
  type SteamPerson,
  type Trade,
  type TradeMove,
  type TradeOffer,
  tradeStatus,
  type WorldState,
} from './state.ts';

export const daySeconds = 86_400;
const protectionDays = 7;
const reversalBanDays = 30;
/** Midnight in Seattle, in seconds of a day in UTC. */
const valveMidnight = 7 * 3600;
/** Game ids with Trade Protection; other games' items change hands for good at once. */
export const isProtectedGame = ({ dialect }: WorldState, appid: number) =>
  appid === 730 || dialect.protectedGames === 'all';
/** The context of items under Trade Protection. */
export const protectedContext = '16';

/** Steam ids whose offers or items changed, to be notified. */
export type Touched = Set<string>;

export function setState(offer: TradeOffer, state: OfferState, now: number) {
  offer.state = state;
  offer.updatedAt = now;
  offer.isUnseenEnd = !isOpen(offer) && state !== offerState.accepted && state !== offerState.inEscrow;
}

export function isOpen(offer: TradeOffer) {
  return offer.state === offerState.active || offer.state === offerState.needsConfirmation;
}

export function owns(person: SteamPerson, item: SteamItem) {
  return hasPieces(person, item);
}

export function nextAssetId(state: WorldState) {
  const id = state.nextId.asset;
  state.nextId.asset += 1;
  return String(id);
}

/** Carries out an accepted offer, or puts its items in escrow while one of the givers has a trade hold. */
export function exchange(state: WorldState, offer: TradeOffer, now: number): Trade {
  const givers = [
    { person: personOf(state, offer.from), items: offer.give },
    { person: personOf(state, offer.to), items: offer.receive },
  ];
  const held = givers.map(({ person, items }) => (items.length > 0 ? person.escrowDays : 0));
  const escrowDays = Math.max(...held);
  const trade = openTrade(state, offer, now);
  removeItems(state, trade);
  offer.tradeId = trade.id;
  if (escrowDays > 0) {
    trade.status = tradeStatus.inEscrow;
    trade.escrowEndsAt = now + escrowDays * daySeconds;
    offer.escrowEndsAt = trade.escrowEndsAt;
    setState(offer, offerState.inEscrow, now);
  } else {
    deliver(state, trade, now);
    setState(offer, offerState.accepted, now);
  }
  invalidateOffersOf(state, trade.moves, now);
  return trade;
}

function openTrade(state: WorldState, offer: TradeOffer, now: number): Trade {
  const move =
    (from: string, to: string) =>
    (item: SteamItem): TradeMove => ({
      from,
      to,
      item: { ...item },
      newAssetid: null,
      newContextid: null,
    });
  const trade: Trade = {
    id: String(state.nextId.trade),
    a: offer.from,
    b: offer.to,
    status: tradeStatus.complete,
    startedAt: now,
    settlesAt: 0,
    escrowEndsAt: 0,
    rollbackOf: null,
    moves: [...offer.give.map(move(offer.from, offer.to)), ...offer.receive.map(move(offer.to, offer.from))],
  };
  state.nextId.trade += 1;
  state.trades.push(trade);
  return trade;
}

/** Removes the items from their givers: in escrow nobody has them. */
function removeItems(state: WorldState, trade: Trade) {
  for (const move of trade.moves) takePieces(personOf(state, move.from), move.item);
}

/** Every traded item gets a new asset id, so clients have to ask for the trade's details. */
function deliver(state: WorldState, trade: Trade, now: number) {
  for (const move of trade.moves) {
    const isProtected = isProtectedGame(state, move.item.appid);
    const arrived: SteamItem = {
      ...move.item,
      assetid: nextAssetId(state),
      contextid: isProtected ? protectedContext : openContextOf(move.item.appid),
      protectedUntil: isProtected ? protectionEnd(state, now) : 0,
      receivedAt: now,
    };
    putPieces(state, personOf(state, move.to), arrived);
    move.newAssetid = arrived.assetid;
    move.newContextid = arrived.contextid;
    if (isProtected) trade.settlesAt = arrived.protectedUntil;
  }
}

/** Valve counts whole days from midnight in Seattle. */
function protectionEnd(state: WorldState, now: number) {
  const end = now + protectionDays * daySeconds;
  if (state.dialect.protection === 'sevenDays') return end;
  return Math.ceil((end - valveMidnight) / daySeconds) * daySeconds + valveMidnight;
}

/** Other open offers with a moved item can no longer be accepted; Steam marks them at once. */
function invalidateOffersOf(state: WorldState, moves: TradeMove[], now: number) {
  const moved = new Set(moves.map((move) => move.item.assetid));
  for (const offer of state.offers) {
    if (isOpen(offer) && [...offer.give, ...offer.receive].some((item) => moved.has(item.assetid))) {
      setState(offer, offerState.invalidItems, now);
    }
  }
}

/** Ends a trade in escrow early: everybody gets their items back, under the old ids or under new ones. */
export function rollBackEscrow(state: WorldState, trade: Trade) {
  const renames = state.dialect.failedTrades === 'newIds';
  for (const { from, item } of trade.moves)
    putPieces(state, personOf(state, from), { ...item, ...(renames && { assetid: nextAssetId(state) }) });
  trade.status = tradeStatus.escrowRollback;
}

/** A trade can be reversed while all its items are protected and still where they arrived. */
export function isReversible(state: WorldState, trade: Trade, now: number) {
  return (
    trade.status === tradeStatus.complete &&
    trade.rollbackOf === null &&
    trade.settlesAt > now &&
    trade.moves.every((move) => isProtectedGame(state, move.item.appid) && hasArrived(state, move))
  );
}

function hasArrived(state: WorldState, move: TradeMove) {
  return findArrived(state, personOf(state, move.to), move) !== undefined;
}

/**
 * Reverses a trade under Trade Protection: its status becomes 12, and a second, complete trade that names it returns
 * the items, in one of the recorded shapes. The offer itself stays accepted.
 */
export function reverse(state: WorldState, trade: Trade, now: number): Trade {
  trade.status = tradeStatus.protectionRollback;
  const back: Trade = {
    ...trade,
    id: String(state.nextId.trade),
    status: tradeStatus.complete,
    startedAt: now,
    settlesAt: 0,
    escrowEndsAt: 0,
    rollbackOf: trade.id,
    moves: trade.moves.map((move) =>
      state.dialect.reversal === 'mirroredOldIds' ? repeatMove(state, move) : moveBack(state, move),
    ),
  };
  state.nextId.trade += 1;
  state.trades.push(back);
  return back;
}

function moveBack(state: WorldState, move: TradeMove): TradeMove {
  const item = takeArrived(state, move);
  const contextid = openContextOf(item.appid);
  const returned = { ...item, assetid: nextAssetId(state), contextid, protectedUntil: 0 };
  putPieces(state, personOf(state, move.from), returned);
  const [from, to] =
    state.dialect.reversal === 'protectedToOpen' ? [move.from, move.to] : [move.to, move.from];
  return { from, to, item, newAssetid: returned.assetid, newContextid: contextid };
}

/** The item is back under its first id; the reversal looks like the trade itself. */
function repeatMove(state: WorldState, move: TradeMove): TradeMove {
  takeArrived(state, move);
  putPieces(state, personOf(state, move.from), { ...move.item });
  return { ...move, newAssetid: null, newContextid: null };
}

function takeArrived(state: WorldState, move: TradeMove): SteamItem {
  const holder = personOf(state, move.to);
  const held = findArrived(state, holder, move);
  if (held === undefined) throw new Error(`Item ${move.newAssetid} is no longer with ${move.to}.`);
  const item = { ...held, amount: move.item.amount };
  takePieces(holder, item);
  return item;
}

/** Reversing trades bans the person from trading for 30 days; Support does not lift this. */
export function banAfterReversal(person: SteamPerson, now: number) {
  person.tradeBannedUntil = Math.max(person.tradeBannedUntil, now + reversalBanDays * daySeconds);
}

/** Applies the passing of time: offers expire, escrow is released, protection ends. */
export function applyTime(state: WorldState, now: number): Touched {
  const touched: Touched = new Set();
  for (const offer of state.offers) {
    if (isOpen(offer) && offer.expiresAt <= now) {
      setState(offer, offerState.expired, now);
      state.confirmations = state.confirmations.filter((entry) => entry.offerId !== offer.id);
      touched.add(offer.from).add(offer.to);
    }
  }
  for (const trade of state.trades) {
    if (trade.status === tradeStatus.inEscrow && trade.escrowEndsAt <= now) {
      releaseEscrow(state, trade, now);
      touched.add(trade.a).add(trade.b);
    }
  }
  for (const person of state.people) if (endProtection(person, now)) touched.add(person.steamId);
  return touched;
}

function releaseEscrow(state: WorldState, trade: Trade, now: number) {
  deliver(state, trade, now);
  trade.status = tradeStatus.complete;
  const offer = state.offers.find((candidate) => candidate.tradeId === trade.id);
  if (offer !== undefined) setState(offer, offerState.accepted, now);
}

/** The item keeps its asset id; only its context changes. */
function endProtection(person: SteamPerson, now: number) {
  const ended = person.items.filter((item) => item.protectedUntil > 0 && item.protectedUntil <= now);
  for (const item of ended) {
    item.protectedUntil = 0;
    item.contextid = openContextOf(item.appid);
  }
  return ended.length > 0;
}
