import { kindOf } from './catalogue.ts';
import { isProtectedGame } from './exchange.ts';
import { steamIdBase } from './people.ts';
import {
  type ItemKind,
  offerState,
  type SteamItem,
  type Trade,
  type TradeMove,
  type TradeOffer,
  tradeStatus,
  type WorldState,
} from './state.ts';

const gameNames: Record<number, string> = {
  730: 'Counter-Strike 2',
  440: 'Team Fortress 2',
  252490: 'Rust',
  570: 'Dota 2',
  753: 'Steam',
};
const mobileConfirmation = 2;

export function gameName(appid: number) {
  return gameNames[appid] ?? `Game ${appid}`;
}

function accountIdOf(steamId: string) {
  return Number(BigInt(steamId) - steamIdBase);
}

/** An offer as Steam's Web API shows it to one side. */
export function offerView(state: WorldState, offer: TradeOffer, viewer: string) {
  const isOurs = offer.from === viewer;
  const sides = isOurs ? [offer.give, offer.receive] : [offer.receive, offer.give];
  const [give = [], receive = []] = state.dialect.offerItems === 'blank' ? [] : sides;
  const isMissing = state.dialect.offerItems === 'missingOnceAccepted' && offer.state === offerState.accepted;
  const show = (item: SteamItem) => offerItemView(item, isMissing);
  return {
    tradeofferid: offer.id,
    accountid_other: accountIdOf(isOurs ? offer.to : offer.from),
    message: offer.message,
    expiration_time: offer.expiresAt,
    trade_offer_state: offer.state,
    ...(give.length > 0 && { items_to_give: give.map(show) }),
    ...(receive.length > 0 && { items_to_receive: receive.map(show) }),
    is_our_offer: isOurs,
    time_created: offer.createdAt,
    time_updated: offer.updatedAt,
    ...(offer.tradeId !== null && state.dialect.acceptedTrades === 'named' && { tradeid: offer.tradeId }),
    from_real_time_trade: false,
    escrow_end_date: offer.escrowEndsAt,
    confirmation_method: offer.state === offerState.needsConfirmation ? mobileConfirmation : 0,
    eresult: 1,
  };
}

/** Clients cannot use an item without an id: steam-tradeoffer-manager calls its offer malformed. */
function offerItemView(item: SteamItem, isMissing: boolean) {
  const { appid, contextid, assetid, classid, instanceid, amount } = item;
  if (isMissing) return { appid, contextid, classid, instanceid, amount, missing: true };
  return { appid, contextid, assetid, classid, instanceid, amount, missing: false, est_usd: '0' };
}

/** A trade as Steam's Web API shows it to one side, with the new ids of delivered items. */
export function tradeView(state: WorldState, trade: Trade, viewer: string) {
  const rollback = state.trades.find((candidate) => candidate.rollbackOf === trade.id);
  const named = state.dialect.reversal === 'oppositeNewIds' ? rollback : undefined;
  const assets = (moves: TradeMove[]) => moves.map((move) => assetView(state, move, named));
  const given = assets(trade.moves.filter((move) => move.from === viewer));
  const received = assets(trade.moves.filter((move) => move.to === viewer));
  return {
    tradeid: trade.id,
    steamid_other: trade.a === viewer ? trade.b : trade.a,
    time_init: trade.startedAt,
    ...settlementView(state, trade),
    ...(rollback !== undefined && { time_mod: rollback.startedAt }),
    ...(trade.status === tradeStatus.inEscrow && { time_escrow_end: trade.escrowEndsAt }),
    ...(trade.rollbackOf !== null && { rollback_trade: trade.rollbackOf }),
    status: trade.status,
    ...(given.length > 0 && { assets_given: given }),
    ...(received.length > 0 && { assets_received: received }),
  };
}

/** A reversed trade has no settlement any more (dmarket/p2p-tracker-core, steam_trade_history.json). */
function settlementView({ dialect }: WorldState, { status, settlesAt }: Trade) {
  if (settlesAt === 0 || status === tradeStatus.protectionRollback || dialect.settlement === 'absent')
    return {};
  return { time_settlement: dialect.settlement === 'quoted' ? String(settlesAt) : settlesAt };
}

function assetView(state: WorldState, move: TradeMove, rollback: Trade | undefined) {
  const { appid, contextid, assetid, amount, classid, instanceid } = move.item;
  const isOmitted = state.dialect.newIds === 'omitted' && isProtectedGame(state, appid);
  const isReported = move.newAssetid !== null && !isOmitted;
  const back = rollback?.moves.find((candidate) => candidate.item.assetid === move.newAssetid);
  return {
    appid,
    contextid,
    assetid,
    amount,
    classid,
    instanceid,
    ...(isReported && { new_assetid: move.newAssetid, new_contextid: move.newContextid }),
    ...(back && { rollback_new_assetid: back.newAssetid, rollback_new_contextid: back.newContextid }),
  };
}

/** The descriptions of a list of items, without duplicates. */
export function descriptionsOf(state: WorldState, items: SteamItem[]) {
  const shown = new Map<string, ReturnType<typeof describeItem>>();
  for (const item of items)
    shown.set(`${item.appid}_${item.classid}_${shownInstance(item)}`, describeItem(state, item));
  return [...shown.values()];
}

/** An item's description; for a protected item it contains the end of protection, in a machine-readable token. */
export function describeItem(
  state: WorldState,
  item: SteamItem,
): ItemKind & { owner_descriptions?: object[] } {
  const kind = kindOf(state, item);
  if (item.protectedUntil === 0) return kind;
  const until = `⇆ This item is trade-protected and cannot be consumed, modified, or transferred until [date]${item.protectedUntil}[/date]`;
  return {
    ...kind,
    instanceid: shownInstance(item),
    tradable: 0,
    marketable: 0,
    owner_descriptions: [
      { type: 'html', value: ' ' },
      { type: 'html', value: until, color: 'A75124' },
    ],
  };
}

/**
 * Class and instance identify a description, and protected items have a date in theirs. So each date gets its own
 * instance; otherwise clients could not tell which item becomes tradable when.
 */
export function shownInstance(item: SteamItem) {
  return item.protectedUntil === 0
    ? item.instanceid
    : String(BigInt(item.instanceid) + BigInt(item.protectedUntil));
}
