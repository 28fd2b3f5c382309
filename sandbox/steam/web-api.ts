import { findKind } from './catalogue.ts';
import { type Answer, type Endpoint, type Fields, html, json, text } from './http.ts';
import { slotsOf } from './slots.ts';
import { type ItemKind, offerState, type SteamPerson, type TradeOffer, tradeStatus } from './state.ts';
import { descriptionsOf, offerView, tradeView } from './views.ts';
import type { SteamWorld } from './world.ts';

const okHeader = { 'x-eresult': '1' };
const maxHistoryPage = 500;
const shortPage = 2;

/** The list in which steam-user finds a connection manager; it insists on a text content type. */
const cmList = `"response"
{
	"serverlist"
	{
		"0"
		{
			"endpoint"	"cm1.sandbox.steamserver.net:443"
			"legacy_endpoint"	"cm1.sandbox.steamserver.net:443"
			"type"	"websockets"
			"dc"	"sandbox"
			"realm"	"steamglobal"
			"load"	"1"
			"wtd_load"	"1"
		}
	}
	"success"	"1"
	"message"	""
}
`;

/** The methods of api.steampowered.com that the packages and the product call. */
export const webApiEndpoints: Endpoint[] = [
  {
    method: 'GET',
    path: /^\/ISteamDirectory\/GetCMListForConnect\/v0*1\/?$/,
    target: 'cmList',
    answer: () => text(cmList, 200, 'text/vdf; charset=UTF-8'),
  },
  {
    method: 'POST',
    path: /^\/ITwoFactorService\/QueryTime\/v0*1\/?$/,
    target: 'any',
    answer: queryTime,
  },
  {
    method: 'POST',
    path: /^\/ITwoFactorService\/QueryStatus\/v0*1\/?$/,
    target: 'any',
    answer: (world, { person }) => (person === null ? accessDenied() : queryStatus(world, person)),
  },
  signedIn('IEconService/GetTradeOffers', 'getTradeOffers', getTradeOffers),
  signedIn('IEconService/GetTradeOffer', 'getTradeOffer', getTradeOffer),
  signedIn('IEconService/GetTradeStatus', 'getTradeStatus', getTradeStatus),
  signedIn('IEconService/GetTradeHistory', 'getTradeHistory', getTradeHistory),
  signedIn('IEconService/GetTradeHoldDurations', 'getTradeHoldDurations', getTradeHoldDurations),
  signedIn('ISteamEconomy/GetAssetClassInfo', 'getAssetClassInfo', getAssetClassInfo),
  signedIn('ISteamUser/GetPlayerSummaries', 'any', getPlayerSummaries, 2),
  signedIn('ISteamUser/GetPlayerBans', 'any', getPlayerBans),
  signedIn('IPlayerService/GetSteamLevel', 'any', getSteamLevel),
  signedIn('IEconItems_440/GetPlayerItems', 'any', getPlayerItems),
];

type Method = (world: SteamWorld, query: Fields, person: SteamPerson) => Answer;

function signedIn(name: string, target: Endpoint['target'], method: Method, version = 1): Endpoint {
  return {
    method: 'GET',
    path: new RegExp(`^/${name}/v0*${version}/?$`),
    target,
    answer: (world, request) =>
      request.person === null ? accessDenied() : method(world, request.query, request.person),
  };
}

/** The wording by which the packages recognize an expired session. */
function accessDenied() {
  return html(
    '<html><head><title>Unauthorized</title></head><body><h1>Unauthorized</h1>Access is denied. Retrying will not help. Please verify your <pre>key=</pre> parameter.</body></html>',
    401,
  );
}

function respond(response: object) {
  return json({ response }, 200, okHeader);
}

/** Real time instead of world time, because codes are generated from Steam's own clock. */
function queryTime(world: SteamWorld) {
  const server_time = String(world.systemSeconds());
  return json({ response: { server_time, skew_tolerance_seconds: '60' } });
}

const daySeconds = 86_400;
/** The age on an account whose items Steam does not hold. */
const authenticatorAgeDays = 200;

/**
 * The authenticator's state (`CTwoFactor_Status_Response` of Steam's protocol; ValvePython/steam, guard.py).
 * Steam holds items that an account gives during its authenticator's first week, so an account whose items
 * are held has a new one.
 */
function queryStatus(world: SteamWorld, person: SteamPerson) {
  const ageDays = person.escrowDays > 0 ? 0 : authenticatorAgeDays;
  return respond({
    state: 1,
    authenticator_type: 1,
    authenticator_allowed: true,
    steamguard_scheme: 2,
    email_validated: true,
    time_created: world.systemSeconds() - ageDays * daySeconds,
  });
}

const openStates = new Set<number>([offerState.active, offerState.needsConfirmation]);

function isLeftOut({ state }: SteamWorld, offer: TradeOffer) {
  if (state.dialect.silence === 'list' && offer.state === offerState.accepted) return true;
  if (!openStates.has(offer.state)) return false;
  if (state.dialect.openOffers === 'counterStrikeLeftOut')
    return itemsOf(offer).some(({ appid }) => appid === 730);
  return state.dialect.openOffers === 'leftOut';
}

function getTradeOffers(world: SteamWorld, query: Fields, person: SteamPerson) {
  const cutoff = Number(query.time_historical_cutoff ?? 0);
  const wanted = (offer: TradeOffer) => {
    if (isLeftOut(world, offer)) return false;
    if (isSet(query.active_only)) return openStates.has(offer.state) || offer.updatedAt >= cutoff;
    return isSet(query.historical_only) ? !openStates.has(offer.state) : true;
  };
  const all = world.offersOf(person.steamId).filter(wanted).toReversed();
  const start = Number(query.cursor ?? 0);
  const end = world.state.dialect.offerPages === 'short' ? start + shortPage : all.length;
  const offers = all.slice(start, end);
  const sent = offers.filter((offer) => offer.from === person.steamId);
  const received = offers.filter((offer) => offer.to === person.steamId);
  const show = (offer: TradeOffer) => offerView(world.state, offer, person.steamId);
  const described = isSet(query.get_descriptions);
  return respond({
    ...(isSet(query.get_sent_offers) && { trade_offers_sent: sent.map(show) }),
    ...(isSet(query.get_received_offers) && { trade_offers_received: received.map(show) }),
    ...(described && { descriptions: descriptionsOf(world.state, offers.flatMap(itemsOf)) }),
    next_cursor: end < all.length ? end : 0,
  });
}

function isSet(flag: string | undefined) {
  return flag === '1' || flag === 'true';
}

function itemsOf(offer: TradeOffer) {
  return [...offer.give, ...offer.receive];
}

function getTradeOffer(world: SteamWorld, query: Fields, person: SteamPerson) {
  const offer = world.offersOf(person.steamId).find((candidate) => candidate.id === query.tradeofferid);
  if (offer === undefined || world.state.dialect.silence === 'offer') return respond({});
  const descriptions = descriptionsOf(world.state, itemsOf(offer));
  return respond({ offer: offerView(world.state, offer, person.steamId), descriptions });
}

function getTradeStatus(world: SteamWorld, query: Fields, person: SteamPerson) {
  const trade = world.tradesOf(person.steamId).find((candidate) => candidate.id === query.tradeid);
  if (trade === undefined) return respond({});
  const items = trade.moves.map((move) => move.item);
  return respond({
    trades: [tradeView(world.state, trade, person.steamId)],
    ...(isSet(query.get_descriptions) && { descriptions: descriptionsOf(world.state, items) }),
  });
}

function getTradeHistory(world: SteamWorld, query: Fields, person: SteamPerson) {
  const isOdd = world.state.dialect.history === 'oddPages';
  const limit = isOdd ? shortPage : Math.min(Number(query.max_trades ?? maxHistoryPage), maxHistoryPage);
  const failed = new Set<number>([tradeStatus.escrowRollback]);
  const all = world
    .tradesOf(person.steamId)
    .filter((trade) => isSet(query.include_failed) || !failed.has(trade.status))
    .toReversed();
  // Pages go from new to old: the next one starts after this one's last trade.
  const before = query.start_after_tradeid;
  const after = Number(query.start_after_time ?? 0);
  const isSilent = world.state.dialect.silence === 'history';
  const older = (isSilent ? [] : all).filter(
    (trade) =>
      (before === undefined || before === '0' || Number(trade.id) < Number(before)) &&
      (after === 0 || trade.startedAt <= after),
  );
  const page = older.slice(0, limit);
  return respond({
    ...(isSet(query.include_total) && { total_trades: all.length }),
    more: older.length > page.length,
    trades: [
      ...(isOdd ? oddTrades(person) : []),
      ...page.map((trade) => tradeView(world.state, trade, person.steamId)),
    ],
    ...(isSet(query.get_descriptions) && {
      descriptions: descriptionsOf(
        world.state,
        page.flatMap((trade) => trade.moves.map((move) => move.item)),
      ),
    }),
  });
}

/** Rows of trades outside the world: one of a status that nobody documented, one without its assets. */
const oddTrades = (person: SteamPerson) => [
  { tradeid: '99', steamid_other: person.steamId, time_init: 1, status: 77, assets_given: null },
  { tradeid: '98', status: null, assets_received: [null, { appid: 753 }] },
];

function getTradeHoldDurations(world: SteamWorld, query: Fields, person: SteamPerson) {
  const target = world.userBySteamId(query.steamid_target ?? '');
  if (target === null || target.tradeToken !== query.trade_offer_access_token) {
    // For a dead link Steam returns a result in the header and an empty body.
    return json({ response: {} }, 200, { 'x-eresult': '15' });
  }
  const hold = (days: number) => ({
    escrow_end_duration_seconds: days * 86_400,
    ...(days > 0 && { escrow_end_date: world.nowSeconds() + days * 86_400 }),
  });
  return respond({
    my_escrow: hold(person.escrowDays),
    their_escrow: hold(target.escrowDays),
    both_escrow: hold(Math.max(person.escrowDays, target.escrowDays)),
  });
}

/**
 * Public profiles (partner.steamgames.com/doc/webapi/ISteamUser#GetPlayerSummaries). They have no picture: nothing here
 * loads anything from outside this machine.
 */
function getPlayerSummaries(world: SteamWorld, query: Fields) {
  const wanted = (query.steamids ?? '').split(',');
  const players = wanted.flatMap((steamId) => world.userBySteamId(steamId) ?? []);
  return respond({
    players: players.map(({ steamId, accountId, name }) => ({
      steamid: steamId,
      communityvisibilitystate: 3,
      profilestate: 1,
      personaname: name,
      // Ids rise with time: an account's age follows from its own.
      timecreated: FIRST_ACCOUNT + (accountId % YEAR_OF_ACCOUNTS),
    })),
  });
}

/** The only such method without a frame (partner.steamgames.com/doc/webapi/ISteamUser#GetPlayerBans). */
function getPlayerBans(world: SteamWorld, query: Fields) {
  const person = world.userBySteamId(query.steamids ?? '');
  const isBanned = person !== null && person.tradeBannedUntil > world.nowSeconds();
  const NumberOfGameBans = person?.isGameBanned ? 1 : 0;
  const bans = { CommunityBanned: false, VACBanned: false, NumberOfVACBans: 0, NumberOfGameBans };
  return json({
    players: person
      ? [{ SteamId: person.steamId, ...bans, EconomyBan: isBanned ? 'probation' : 'none' }]
      : [],
  });
}

/** 2019, and the seconds over which accounts of the sandbox were made. */
const FIRST_ACCOUNT = 1_546_300_800;
const YEAR_OF_ACCOUNTS = 31_536_000;

/** One number (steamapi.xpaw.me#IPlayerService/GetSteamLevel). */
function getSteamLevel(world: SteamWorld, query: Fields) {
  const person = world.userBySteamId(query.steamid ?? '');
  return respond(person === null ? {} : { player_level: 10 + (person.accountId % 40) });
}

/**
 * The backpack of Team Fortress 2, in a frame of its own; 15 is a hidden one, 18 an account that does not exist
 * (wiki.teamfortress.com/wiki/WebAPI/GetPlayerItems). Each item has more facts than are told here.
 */
function getPlayerItems(world: SteamWorld, query: Fields, asking: SteamPerson) {
  const person = world.userBySteamId(query.steamid ?? '');
  if (person === null) return json({ result: { status: 18, statusDetail: 'Unknown account' } });
  if (person.privateInventory && person.steamId !== asking.steamId) return json({ result: { status: 15 } });
  const items = person.items.filter((item) => item.appid === 440);
  return json({
    result: {
      status: 1,
      num_backpack_slots: slotsOf(person, 440),
      items: items.map(({ assetid }) => ({ id: Number(assetid), original_id: Number(assetid) })),
    },
  });
}

function getAssetClassInfo(world: SteamWorld, query: Fields) {
  const result: Record<string, unknown> = { success: true };
  for (let index = 0; index < Number(query.class_count ?? 0); index += 1) {
    const classid = query[`classid${index}`] ?? '';
    const instanceid = query[`instanceid${index}`] ?? '0';
    const kind = findKind(world.state, Number(query.appid), classid, instanceid);
    if (kind !== null) result[instanceid === '0' ? classid : `${classid}_${instanceid}`] = classInfo(kind);
  }
  return json({ result }, 200, okHeader);
}

/** This method returns flags as strings and lists as objects with numbered keys. */
function classInfo(kind: ItemKind) {
  const counted = (list: object[]) => Object.fromEntries(list.map((entry, index) => [String(index), entry]));
  const tags = kind.tags.map((tag) => ({
    internal_name: tag.internal_name,
    name: tag.localized_tag_name,
    category: tag.category,
    category_name: tag.localized_category_name,
    ...(tag.color !== undefined && { color: tag.color }),
  }));
  return {
    ...kind,
    tradable: String(kind.tradable),
    marketable: String(kind.marketable),
    commodity: String(kind.commodity),
    descriptions: counted(kind.descriptions),
    actions: counted(kind.actions ?? []),
    market_actions: counted(kind.market_actions ?? []),
    tags: counted(tags),
  };
}
