import { describeKind, findKind, newItem } from './catalogue.ts';
import { type Connection, Connections } from './connections.ts';
import { type Dialect, plainDialect } from './dialects.ts';
import { applyTime, banAfterReversal, isReversible, nextAssetId, reverse, type Touched } from './exchange.ts';
import { addFault, type FaultPreset, type FaultRequest, faultPresets, takeFault } from './faults.ts';
import {
  type AcceptOutcome,
  acceptOffer,
  answerConfirmation,
  type EndOutcome,
  endOffer,
  type OfferOutcome,
  type OfferRequest,
  sendOffer,
} from './offers.ts';
import { addPerson, type NewPerson, newTradeToken, personOf } from './people.ts';
import { eresult, refuse } from './refusals.ts';
import {
  type Confirmation,
  emptyState,
  type Fault,
  type FaultTarget,
  type ItemKind,
  offerState,
  type Refusal,
  type SteamItem,
  type SteamPerson,
  type Trade,
  type TradeOffer,
  type WorldState,
} from './state.ts';

export type { Connection } from './connections.ts';

export type WorldOptions = {
  /** World time in milliseconds, for offers, escrow and protection, but not for tokens. */
  now: () => number;
  /** Steam's own clock, if it differs from the machine's. */
  systemNow?: (() => number) | undefined;
  /** Called after every change, to save the state. */
  onChange?: (() => void) | undefined;
};

export type ReverseOutcome = { ok: true; trades: Trade[] } | Refusal;

/** The sandbox's Steam: people, items, offers, trades and pending faults. */
export class SteamWorld {
  readonly #state: WorldState;
  readonly #options: WorldOptions;
  readonly #connections = new Connections();

  constructor(options: WorldOptions, state: WorldState = emptyState()) {
    this.#options = options;
    this.#state = state;
  }

  static fromJSON(json: unknown, options: WorldOptions): SteamWorld {
    const state = json as WorldState;
    if (state?.version !== 1)
      throw new Error("The saved state of the sandbox's Steam has an unknown version.");
    const saved = structuredClone(state);
    return new SteamWorld(options, { ...saved, dialect: { ...plainDialect, ...saved.dialect } });
  }

  toJSON(): WorldState {
    return structuredClone(this.#state);
  }

  /** World time in Unix seconds, as Steam uses them. */
  nowSeconds() {
    return Math.floor(this.#options.now() / 1000);
  }

  /** The time by which codes and signatures are judged. */
  systemSeconds() {
    return Math.floor((this.#options.systemNow ?? Date.now)() / 1000);
  }

  /** The live state with the current time applied; callers outside this folder only read it. */
  get state(): WorldState {
    const touched = applyTime(this.#state, this.nowSeconds());
    if (touched.size > 0) this.#changed(touched);
    return this.#state;
  }

  // People

  addUser(person: NewPerson): SteamPerson {
    const added = addPerson(this.#state, person);
    this.#changed();
    return added;
  }

  users(): SteamPerson[] {
    return this.state.people;
  }

  userBySteamId(steamId: string): SteamPerson | null {
    return this.state.people.find((person) => person.steamId === steamId) ?? null;
  }

  userByAccountName(accountName: string): SteamPerson | null {
    return this.state.people.find((person) => person.login?.accountName === accountName) ?? null;
  }

  tradeUrlOf(person: SteamPerson): string {
    return `https://steamcommunity.com/tradeoffer/new/?partner=${person.accountId}&token=${person.tradeToken}`;
  }

  rotateTradeToken(steamId: string): SteamPerson {
    return this.#edit(steamId, (person) => {
      person.tradeToken = newTradeToken();
    });
  }

  setPrivateInventory(steamId: string, isPrivate: boolean): SteamPerson {
    return this.#edit(steamId, (person) => {
      person.privateInventory = isPrivate;
    });
  }

  setEscrowDays(steamId: string, days: number): SteamPerson {
    return this.#edit(steamId, (person) => {
      person.escrowDays = Math.max(0, Math.min(15, Math.trunc(days)));
    });
  }

  /** Bans from trading until this world time in Unix seconds; 0 lifts the ban. */
  setTradeBan(steamId: string, untilSeconds: number): SteamPerson {
    return this.#edit(steamId, (person) => {
      person.tradeBannedUntil = untilSeconds;
    });
  }

  acknowledgeProtection(steamId: string): SteamPerson {
    return this.#edit(steamId, (person) => {
      person.protectionAcknowledged = true;
    });
  }

  // Items

  describe(kind: ItemKind) {
    describeKind(this.#state, kind);
    this.#changed();
  }

  kinds(): ItemKind[] {
    return this.#state.kinds;
  }

  /** Gives a person a new item; the asset id is new unless one is given. */
  give(
    steamId: string,
    kind: Pick<ItemKind, 'appid' | 'classid' | 'instanceid'> & { pieces?: number },
    assetid?: string,
  ): SteamItem {
    const known = findKind(this.#state, kind.appid, kind.classid, kind.instanceid);
    if (known === null) {
      throw new Error(`The sandbox knows no item ${kind.appid}/${kind.classid}/${kind.instanceid}.`);
    }
    const item = newItem(known, assetid ?? nextAssetId(this.#state), kind.pieces);
    personOf(this.#state, steamId).items.push(item);
    this.#changed();
    return item;
  }

  inventoryOf(steamId: string, appid?: number): SteamItem[] {
    const { items } = personOf(this.state, steamId);
    return appid === undefined ? items : items.filter((item) => item.appid === appid);
  }

  // Offers

  offers(): TradeOffer[] {
    return this.state.offers;
  }

  offer(offerId: string): TradeOffer | null {
    return this.state.offers.find((offer) => offer.id === offerId) ?? null;
  }

  /** Offers that this person sent or received; one waiting for the sender's phone is visible to the sender only. */
  offersOf(steamId: string): TradeOffer[] {
    return this.state.offers.filter(
      (offer) =>
        offer.from === steamId || (offer.to === steamId && offer.state !== offerState.needsConfirmation),
    );
  }

  waitingOffersOf(steamId: string): number {
    const waiting = this.#state.offers.filter(
      (offer) => offer.to === steamId && offer.state === offerState.active,
    );
    return waiting.length;
  }

  send(steamId: string, request: OfferRequest): OfferOutcome {
    return this.#act(steamId, (state, now) => sendOffer(state, personOf(state, steamId), request, now));
  }

  accept(offerId: string, steamId: string): AcceptOutcome {
    return this.#act(steamId, (state, now) => {
      const offer = state.offers.find((candidate) => candidate.id === offerId);
      if (offer === undefined) return refuse('accept', eresult.invalidState);
      return acceptOffer(state, offer, personOf(state, steamId), now);
    });
  }

  decline(offerId: string, steamId: string): EndOutcome {
    return this.#end(offerId, steamId, 'decline');
  }

  cancel(offerId: string, steamId: string): EndOutcome {
    return this.#end(offerId, steamId, 'cancel');
  }

  /** Answers an offer with another one; the first becomes Countered. */
  counter(
    offerId: string,
    steamId: string,
    request: Pick<OfferRequest, 'give' | 'receive' | 'message'>,
  ): OfferOutcome {
    return this.#act(steamId, (state, now) => {
      const offer = state.offers.find((candidate) => candidate.id === offerId);
      if (offer?.to !== steamId || offer.state !== offerState.active)
        return refuse('counter', eresult.invalidState);
      const answer = { ...request, to: offer.from, token: null, counters: offer.id };
      return sendOffer(state, personOf(state, steamId), answer, now);
    });
  }

  /** The person visits the page of sent offers. */
  seeSentOffers(steamId: string) {
    for (const offer of this.#state.offers) if (offer.from === steamId) offer.isUnseenEnd = false;
    this.#changed();
  }

  confirmationsOf(steamId: string): Confirmation[] {
    return this.state.confirmations.filter((entry) => entry.owner === steamId);
  }

  /** Answers the pending confirmation of an offer on this account's phone; used by the protocol and the panel. */
  confirm(offerId: string, steamId: string, allow = true): EndOutcome {
    return this.#act(steamId, (state, now) => {
      const entry = state.confirmations.find(
        (candidate) => candidate.offerId === offerId && candidate.owner === steamId,
      );
      return entry === undefined
        ? refuse('accept', eresult.invalidState)
        : answerConfirmation(state, entry, allow, now);
    });
  }

  // Trades

  trades(): Trade[] {
    return this.state.trades;
  }

  trade(tradeId: string): Trade | null {
    return this.state.trades.find((trade) => trade.id === tradeId) ?? null;
  }

  tradesOf(steamId: string): Trade[] {
    return this.state.trades.filter((trade) => trade.a === steamId || trade.b === steamId);
  }

  /** Reverses one protected trade, without the ban that follows a person's own reversal. */
  reverseTrade(tradeId: string): ReverseOutcome {
    return this.#reverse((trade) => trade.id === tradeId);
  }

  /** Reverses all of a person's protected trades, as Steam does, and bans the person for 30 days. */
  reverseTradesOf(steamId: string): ReverseOutcome {
    const outcome = this.#reverse((trade) => trade.a === steamId || trade.b === steamId);
    if (outcome.ok) this.#edit(steamId, (person) => banAfterReversal(person, this.nowSeconds()));
    return outcome;
  }

  // Shapes and faults

  /** Answers in these shapes from now on; the others stay as they are. */
  speak(shapes: Partial<Dialect>) {
    Object.assign(this.#state.dialect, shapes);
    this.#changed();
  }

  pushFault(fault: FaultRequest | FaultPreset): Fault {
    const added = addFault(this.#state, typeof fault === 'string' ? faultPresets[fault] : fault);
    this.#changed();
    return added;
  }

  faults(): Fault[] {
    return this.#state.faults;
  }

  removeFault(id: string) {
    this.#state.faults = this.#state.faults.filter((fault) => fault.id !== id);
    this.#changed();
  }

  clearFaults() {
    this.#state.faults = [];
    this.#changed();
  }

  takeFault(target: FaultTarget, steamId: string | null): Fault | null {
    const fault = takeFault(this.#state, target, steamId);
    if (fault !== null) this.#changed();
    return fault;
  }

  /** Invalidates the account's access tokens; it has to log on to the web again. */
  killAccessTokens(steamId: string) {
    this.#edit(steamId, (person) => {
      person.accessTokenEpoch += 1;
    });
  }

  killRefreshTokens(steamId: string) {
    this.#edit(steamId, (person) => {
      person.refreshTokenEpoch += 1;
      person.accessTokenEpoch += 1;
    });
  }

  attach(steamId: string, connection: Connection) {
    this.#connections.attach(steamId, connection);
  }

  detach(steamId: string, connection: Connection) {
    this.#connections.detach(steamId, connection);
  }

  /** Ends the account's session with a result, such as 6 (logged in elsewhere) or 34 (session replaced). */
  kick(steamId: string, result: number): boolean {
    const open = this.#connections.of(steamId);
    for (const connection of open) connection.kick(result);
    return open.length > 0;
  }

  /** Closes the account's socket without a message, as a lost network connection does. */
  closeSocket(steamId: string): boolean {
    const open = this.#connections.of(steamId);
    for (const connection of open) connection.close();
    return open.length > 0;
  }

  isConnected(steamId: string): boolean {
    return this.#connections.of(steamId).length > 0;
  }

  #end(offerId: string, steamId: string, act: 'decline' | 'cancel'): EndOutcome {
    return this.#act(steamId, (state, now) => {
      const offer = state.offers.find((candidate) => candidate.id === offerId);
      if (offer === undefined) return refuse(act, eresult.invalidState);
      return endOffer(state, offer, personOf(state, steamId), act, now);
    });
  }

  #reverse(matches: (trade: Trade) => boolean): ReverseOutcome {
    const { state } = this;
    const now = this.nowSeconds();
    const chosen = state.trades.filter((trade) => matches(trade) && isReversible(state, trade, now));
    if (chosen.length === 0) return refuse('cancel', eresult.invalidState);
    const trades = chosen.map((trade) => reverse(state, trade, now));
    this.#changed(new Set(trades.flatMap((trade) => [trade.a, trade.b])));
    return { ok: true, trades };
  }

  /** Lets a person act, and notifies others whose offers changed: even a refused act may make one invalid. */
  #act<Outcome>(actor: string, act: (state: WorldState, now: number) => Outcome): Outcome {
    const { state } = this;
    const before = new Map(state.offers.map((offer) => [offer.id, offer.state]));
    const outcome = act(state, this.nowSeconds());
    const changed = state.offers.filter((offer) => before.get(offer.id) !== offer.state);
    const touched = new Set(changed.flatMap((offer) => [offer.from, offer.to]));
    // Steam does not notify people of their own acts.
    touched.delete(actor);
    this.#changed(touched);
    return outcome;
  }

  #edit(steamId: string, edit: (person: SteamPerson) => void): SteamPerson {
    const person = personOf(this.#state, steamId);
    edit(person);
    this.#changed();
    return person;
  }

  #changed(touched: Touched = new Set()) {
    this.#options.onChange?.();
    for (const steamId of touched) {
      const waiting = this.waitingOffersOf(steamId);
      for (const connection of this.#connections.of(steamId)) connection.notify(waiting);
    }
  }
}
