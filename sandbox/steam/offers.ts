import { randomInt } from 'node:crypto';
import { kindOf } from './catalogue.ts';
import { daySeconds, exchange, isOpen, owns, rollBackEscrow, setState } from './exchange.ts';
import { personOf } from './people.ts';
import { eresult, refuse, refuseInWords, type TradeAct } from './refusals.ts';
import { slotsOf } from './slots.ts';
import { piecesOf } from './stacks.ts';
import {
  type Confirmation,
  offerState,
  type Refusal,
  type SteamItem,
  type SteamPerson,
  type Trade,
  type TradeOffer,
  tradeStatus,
  type WorldState,
} from './state.ts';

const offerLifeDays = 14;
const maxOpenOffers = 30;
const maxOpenOffersPerPartner = 5;
const maxMessageLength = 128;
/** A result number that neither steam-tradeoffer-manager nor ArchiSteamFarm treats in a way of its own. */
const UNKNOWN_RESULT = 77;

/** `pieces`: their number, of which only stacks have several; all if omitted. */
export type AssetName = { appid: number; contextid: string; assetid: string; pieces?: number };
export type OfferRequest = {
  to: string;
  token: string | null;
  give: AssetName[];
  receive: AssetName[];
  message?: string | undefined;
  counters?: string | null | undefined;
};

export type OfferOutcome = { ok: true; offer: TradeOffer; needsConfirmation: boolean } | Refusal;
export type AcceptOutcome =
  | { ok: true; offer: TradeOffer; needsConfirmation: true; trade: null }
  | { ok: true; offer: TradeOffer; needsConfirmation: false; trade: Trade }
  | Refusal;
export type EndOutcome = { ok: true; offer: TradeOffer } | Refusal;

/** Creates an offer, or refuses it as Steam does. A bot's offer that gives items waits for mobile confirmation. */
export function sendOffer(
  state: WorldState,
  sender: SteamPerson,
  request: OfferRequest,
  now: number,
): OfferOutcome {
  const act: TradeAct = request.counters ? 'counter' : 'send';
  const partner = state.people.find((person) => person.steamId === request.to);
  if (partner === undefined || partner === sender) return refuse(act, eresult.invalidParam);
  const refusal = refusePeople(state, act, sender, partner, request, now);
  if (refusal !== null) return refusal;
  const give = request.give.map((name) => movableItem(state, sender, name));
  const receive = request.receive.map((name) => movableItem(state, partner, name));
  const items = [...give, ...receive];
  if (items.length === 0 || (request.message ?? '').length > maxMessageLength)
    return refuse(act, eresult.invalidParam);
  if (new Set(items.map((item) => item?.assetid)).size < items.length)
    return refuse(act, eresult.invalidParam);
  if (items.includes(null)) return refuse(act, eresult.revoked);

  const refusedFirst = refuseFirst(state, act, request);
  if (refusedFirst && state.dialect.firstSendings === 'unknownWords') return refusedFirst;
  const offer = writeOffer(state, sender, request, give.filter(isItem), receive.filter(isItem), now);
  if (request.counters) endCountered(state, request.counters, now);
  const needsConfirmation = offer.state === offerState.needsConfirmation;
  if (needsConfirmation) askForConfirmation(state, offer.id, sender, now);
  return refusedFirst ?? { ok: true, offer, needsConfirmation };
}

/** Refuses the first sending of the same assets to the same person, if Steam does so. */
function refuseFirst(state: WorldState, act: TradeAct, { to, give, receive }: OfferRequest): Refusal | null {
  if (state.dialect.firstSendings === 'taken') return null;
  const name = [to, ...[...give, ...receive].map(({ appid, assetid }) => `${appid}/${assetid}`)].join(' ');
  if (state.refusedFirst?.includes(name)) return null;
  state.refusedFirst = [...(state.refusedFirst ?? []), name];
  return state.dialect.firstSendings === 'unknownWords'
    ? refuseInWords(0, 'Demo sentence that no table has.')
    : refuse(act, UNKNOWN_RESULT);
}

function isItem(item: SteamItem | null): item is SteamItem {
  return item !== null;
}

/** Refusals that depend on the two people, in the order in which Steam checks them. */
function refusePeople(
  state: WorldState,
  act: TradeAct,
  sender: SteamPerson,
  partner: SteamPerson,
  request: OfferRequest,
  now: number,
): Refusal | null {
  if (sender.tradeBannedUntil > now) {
    return refuseInWords(eresult.fail, 'You cannot trade because you have a trade ban.');
  }
  if (partner.tradeBannedUntil > now) {
    return refuseInWords(
      eresult.fail,
      `You cannot trade with ${partner.name} because they have a trade ban.`,
    );
  }
  if (!sender.protectionAcknowledged) return refuse(act, eresult.insufficientPrivilege);
  const answersOffer = request.counters !== null && request.counters !== undefined;
  if (!answersOffer && request.token !== partner.tradeToken) return refuse(act, eresult.accessDenied);
  const noRoom = lacksRoom(partner, request.give) || lacksRoom(sender, request.receive);
  if (partner.privateInventory || partner.isGameBanned || noRoom) return refuse(act, eresult.accessDenied);
  return refuseTooMany(state, act, sender, partner);
}

/** In some games a full inventory cannot receive anything. */
function lacksRoom(receiver: SteamPerson, arriving: AssetName[]) {
  return arriving.some(({ appid }) => {
    const count = (items: { appid: number }[]) => items.filter((item) => item.appid === appid).length;
    return count(receiver.items) + count(arriving) > slotsOf(receiver, appid);
  });
}

function refuseTooMany(state: WorldState, act: TradeAct, sender: SteamPerson, partner: SteamPerson) {
  const countsEnded = state.dialect.endedOffers === 'countUntilSeen';
  const open = state.offers.filter(
    (offer) => offer.from === sender.steamId && (isOpen(offer) || (countsEnded && offer.isUnseenEnd)),
  );
  const toPartner = open.filter((offer) => offer.to === partner.steamId);
  if (toPartner.length >= maxOpenOffersPerPartner) {
    return refuse(act, eresult.alreadyLoggedInElsewhere, tooManyText(partner));
  }
  return open.length >= maxOpenOffers ? refuse(act, eresult.limitExceeded, tooManyText(partner)) : null;
}

function tooManyText(partner: SteamPerson) {
  return `<br><br>You have sent too many trade offers, or have too many outstanding trade offers with ${partner.name}. Please cancel some before sending more.`;
}

function movableItem(state: WorldState, owner: SteamPerson, name: AssetName): SteamItem | null {
  const item = owner.items.find(
    (own) => own.assetid === name.assetid && own.appid === name.appid && own.contextid === name.contextid,
  );
  if (item === undefined || item.protectedUntil > 0) return null;
  const { pieces = piecesOf(item) } = name;
  if (!Number.isInteger(pieces) || pieces < 1 || pieces > piecesOf(item)) return null;
  return kindOf(state, item).tradable === 1 ? { ...item, amount: String(pieces) } : null;
}

function writeOffer(
  state: WorldState,
  sender: SteamPerson,
  request: OfferRequest,
  give: SteamItem[],
  receive: SteamItem[],
  now: number,
): TradeOffer {
  const waits = give.length > 0 && sender.login !== null;
  const offer: TradeOffer = {
    id: String(state.nextId.offer),
    from: sender.steamId,
    to: request.to,
    give: give.map((item) => ({ ...item })),
    receive: receive.map((item) => ({ ...item })),
    message: request.message ?? '',
    state: waits ? offerState.needsConfirmation : offerState.active,
    createdAt: now,
    updatedAt: now,
    expiresAt: now + offerLifeDays * daySeconds,
    tradeId: null,
    escrowEndsAt: 0,
    counters: request.counters ?? null,
  };
  state.nextId.offer += 1;
  state.offers.push(offer);
  return offer;
}

function endCountered(state: WorldState, offerId: string, now: number) {
  const countered = state.offers.find((offer) => offer.id === offerId);
  if (countered !== undefined) setState(countered, offerState.countered, now);
}

function askForConfirmation(state: WorldState, offerId: string, owner: SteamPerson, now: number) {
  const id = String(state.nextId.confirmation);
  state.nextId.confirmation += 1;
  const nonce = String(randomInt(1e12, 1e13));
  state.confirmations.push({ id, nonce, offerId, owner: owner.steamId, createdAt: now });
}

/** Accepts as the receiver. A bot that gives items has to confirm on its simulated phone first. */
export function acceptOffer(
  state: WorldState,
  offer: TradeOffer,
  by: SteamPerson,
  now: number,
): AcceptOutcome {
  if (offer.to !== by.steamId || offer.state !== offerState.active)
    return refuse('accept', eresult.invalidState);
  if (by.tradeBannedUntil > now || personOf(state, offer.from).tradeBannedUntil > now) {
    return refuse('accept', eresult.accessDenied);
  }
  if (!by.protectionAcknowledged) return refuse('accept', eresult.insufficientPrivilege);
  if (offer.receive.length > 0 && by.login !== null) {
    const asked = state.confirmations.some(
      (entry) => entry.offerId === offer.id && entry.owner === by.steamId,
    );
    if (!asked) askForConfirmation(state, offer.id, by, now);
    return { ok: true, offer, needsConfirmation: true, trade: null };
  }
  return completeOffer(state, offer, now);
}

function completeOffer(state: WorldState, offer: TradeOffer, now: number): AcceptOutcome {
  const [from, to] = [personOf(state, offer.from), personOf(state, offer.to)];
  if (!offer.give.every((item) => owns(from, item)) || !offer.receive.every((item) => owns(to, item))) {
    setState(offer, offerState.invalidItems, now);
    return refuse('accept', eresult.revoked);
  }
  return { ok: true, offer, needsConfirmation: false, trade: exchange(state, offer, now) };
}

/** Ends an offer by its receiver (declined) or sender (canceled); items in escrow go back. */
export function endOffer(
  state: WorldState,
  offer: TradeOffer,
  by: SteamPerson,
  act: 'decline' | 'cancel',
  now: number,
): EndOutcome {
  const entitled = act === 'decline' ? offer.to : offer.from;
  const inEscrow = offer.state === offerState.inEscrow;
  if (entitled !== by.steamId || !(isOpen(offer) || inEscrow)) return refuse(act, eresult.invalidState);
  if (act === 'decline' && offer.state === offerState.needsConfirmation)
    return refuse(act, eresult.invalidState);
  if (inEscrow) {
    const trade = state.trades.find((candidate) => candidate.id === offer.tradeId);
    if (trade?.status === tradeStatus.inEscrow) rollBackEscrow(state, trade);
  }
  setState(offer, act === 'decline' ? offerState.declined : offerState.canceled, now);
  state.confirmations = state.confirmations.filter((entry) => entry.offerId !== offer.id);
  return { ok: true, offer };
}

/** Applies the phone's answer: the sender's confirmation activates the offer, the receiver's completes it. */
export function answerConfirmation(
  state: WorldState,
  entry: Confirmation,
  allow: boolean,
  now: number,
): EndOutcome {
  state.confirmations = state.confirmations.filter((candidate) => candidate !== entry);
  const offer = state.offers.find((candidate) => candidate.id === entry.offerId);
  if (offer === undefined || !isOpen(offer)) return refuse('accept', eresult.invalidState);
  if (!allow) setState(offer, offerState.canceledBySecondFactor, now);
  else if (offer.state === offerState.needsConfirmation) setState(offer, offerState.active, now);
  else return completeOffer(state, offer, now);
  return { ok: true, offer };
}
