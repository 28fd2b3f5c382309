import TradeOfferManager from 'steam-tradeoffer-manager';
import type { z } from 'zod';
import { steamErrors } from '#bot/metrics.ts';
import { answerInTime, deadlineOf } from '#bot/steam/answer-in-time.ts';
import { communityName } from '#bot/steam/community-name.ts';
import { type Confirmation, Confirmer, confirmationsOf } from '#bot/steam/confirmations.ts';
import { explainRefusal } from '#bot/steam/explain-refusal.ts';
import { inventoryPage } from '#bot/steam/inventory-item.ts';
import { readInventoryPages } from '#bot/steam/inventory-pages.ts';
import type { InventoryQuery } from '#bot/steam/inventory-reader.ts';
import type { Limiters, RemoteService, Visitor } from '#bot/steam/limiters.ts';
import { countMissingOffer } from '#bot/steam/odd-refusals.ts';
import { PlayerReads } from '#bot/steam/player-reads.ts';
import {
  offerAnswer,
  offersAnswer,
  readSentPage,
  sentOfferOf,
  sentOffersOf,
} from '#bot/steam/sent-offers.ts';
import type {
  Backpack,
  HoldDurations,
  InventoryAnswer,
  InventoryVisitor,
  OfferRequest,
  SentOffer,
  SentOfferList,
  SteamAccount,
  SteamAnswer,
  SteamFailure,
  SteamProfile,
  TradeHistory,
  TradeReport,
} from '#bot/steam/steam-account.ts';
import { callbackToPromise } from '#bot/steam/steam-clients.ts';
import {
  classifyActionError,
  classifyReadError,
  failure,
  type SteamError,
} from '#bot/steam/steam-failure.ts';
import type { SteamSession } from '#bot/steam/steam-session.ts';
import {
  holdAnswer,
  holdDurationsOf,
  isOlder,
  partiesOf,
  refusalOf,
  reversalIn,
  type Trade,
  tradeReportOf,
  tradesAnswer,
} from '#bot/steam/trade-web-api.ts';
import { getJson, hasContent } from '#bot/steam/web-get.ts';
import type { MovedAsset } from '#domain/transfer/transfer-effects.ts';

/** Steam refuses to show more items at once. */
const INVENTORY_PAGE = 1000;
const HISTORY_PAGE = 100;
/** More pages than any list of ours has; a list without an end counts as no answer. */
const MAX_PAGES = 100;
const MAX_HISTORY_PAGES = 500;

export interface LiveAccountParts {
  botId: string;
  steamId: string;
  identitySecret: string;
  session: SteamSession;
  limiters: Limiters;
  /** Milliseconds for which this process may still call; calls under way are aborted when nothing is left. */
  leftMs(): number;
}

type InventoryPage = Omit<InventoryQuery, 'userId'> & { start: string };
interface Request {
  service: RemoteService;
  classify: (error: SteamError) => SteamFailure;
  visitor?: Visitor | undefined;
  deadlineMs?: number | undefined;
}

/** Returns whether every other call of this kind would fail for the same reason. */
const isForAll = ({ code }: SteamFailure) => code === 'steamSessionLost' || code === 'sendingLimited';

/** A bot's account, backed by the Steam packages. */
export class LiveAccount implements SteamAccount {
  readonly botId: string;
  readonly steamId: string;
  readonly #session: SteamSession;
  readonly #limiters: Limiters;
  readonly #leftMs: () => number;
  readonly #confirmer: Confirmer;
  readonly #players = new PlayerReads((...request) => this.#webApi(...request));

  constructor({ botId, steamId, identitySecret, session, limiters, leftMs }: LiveAccountParts) {
    this.botId = botId;
    this.steamId = steamId;
    this.#confirmer = new Confirmer(identitySecret, session);
    this.#session = session;
    this.#limiters = limiters;
    this.#leftMs = leftMs;
  }

  async sendOffer(
    request: OfferRequest,
    mayStart: () => boolean,
  ): Promise<SteamAnswer<{ offerId: string; needsConfirmation: boolean }>> {
    const offer = this.#manager.createOffer(request.partnerSteamId, request.tradeToken);
    for (const asset of request.give) offer.addMyItem(communityName(asset) as never);
    for (const asset of request.receive) offer.addTheirItem(communityName(asset) as never);
    offer.setMessage(request.message);
    const send = () => callbackToPromise<'sent' | 'pending'>((callback) => offer.send(callback));
    const sent = await this.#act('community', async () => (mayStart() ? send() : null), deadlineOf(request));
    if (!sent.ok) return this.#explain(sent, request);
    if (sent.value === null) return failure('steamBusy', 'later', 'waited too long for its turn');
    // An answer without an offer does not prove that none was created.
    if (!offer.id) {
      countMissingOffer();
      return failure('answerLost', 'unknown', 'Steam answered without an offer');
    }
    return { ok: true, value: { offerId: String(offer.id), needsConfirmation: sent.value === 'pending' } };
  }

  /** ArchiSteamFarm visits this page before each offer (ArchiWebHandler.cs, `MarkSentTrades`). */
  visitSentOffers = (): Promise<SteamAnswer<readonly string[]>> =>
    this.#read('community', () => readSentPage(this.#community));

  async confirmOffers(offerIds: readonly string[]): Promise<SteamAnswer<null>> {
    const listed = await this.#read('confirmations', () => this.#confirmer.list());
    if (!listed.ok) return listed;
    const ours = confirmationsOf(offerIds, listed.value);
    if (ours.length === 0) return { ok: true, value: null };
    const together = await this.#act('community', () => this.#confirmer.accept(ours));
    if (together.ok) return { ok: true, value: null };
    return ours.length > 1 && !isForAll(together) ? this.#confirmSingly(ours) : together;
  }

  /** Steam sometimes refuses several at once and accepts each of them alone. */
  async #confirmSingly(confirmations: readonly Confirmation[]): Promise<SteamAnswer<null>> {
    let failed: SteamFailure | null = null;
    for (const confirmation of confirmations) {
      const accepted = await this.#act('community', () => this.#confirmer.accept([confirmation]));
      if (accepted.ok) continue;
      failed = accepted;
      if (isForAll(accepted)) break;
    }
    return failed ?? { ok: true, value: null };
  }

  renewWebSession(): void {
    this.#session.webSessionLost();
  }

  async cancelOffer({
    offerId,
    partnerSteamId,
  }: {
    offerId: string;
    partnerSteamId: string;
  }): Promise<SteamAnswer<null>> {
    // The manager cannot load an offer whose items Steam does not list, and does not need to in order to cancel it.
    const offer = this.#manager.createOffer(partnerSteamId);
    Object.assign(offer, { id: offerId, state: TradeOfferManager.ETradeOfferState.Active });
    const cancelled = await this.#act('community', () =>
      callbackToPromise<void>((callback) => offer.cancel(callback)),
    );
    return cancelled.ok ? { ok: true, value: null } : cancelled;
  }

  async offersSince(sinceMs: number): Promise<SteamAnswer<SentOfferList>> {
    const rows: unknown[] = [];
    let cursor = 0;
    for (let page = 0; page < MAX_PAGES; page++) {
      const query = {
        get_sent_offers: 1,
        active_only: 1,
        time_historical_cutoff: Math.floor(sinceMs / 1000),
        cursor,
      };
      const answer = await this.#webApi('GetTradeOffers', query, offersAnswer);
      if (!answer.ok) return answer;
      rows.push(...answer.value.response.trade_offers_sent);
      cursor = answer.value.response.next_cursor ?? 0;
      if (cursor === 0) return { ok: true, value: sentOffersOf(rows) };
    }
    return failure('steamUnavailable', 'later', 'the list of sent offers does not end');
  }

  async offer(offerId: string): Promise<SteamAnswer<SentOffer>> {
    const answer = await this.#webApi('GetTradeOffer', { tradeofferid: offerId }, offerAnswer);
    if (!answer.ok) return answer;
    const { offer } = answer.value.response;
    return offer
      ? { ok: true, value: sentOfferOf(offer) }
      : failure('offerUnknown', 'later', `no offer ${offerId}`);
  }

  async getTrade(tradeId: string): Promise<SteamAnswer<TradeReport>> {
    const trade = await this.#trade(tradeId);
    return trade.ok ? { ok: true, value: tradeReportOf(trade.value) } : trade;
  }

  async getReversal(tradeId: string): Promise<SteamAnswer<readonly MovedAsset[]>> {
    const trade = await this.#trade(tradeId);
    if (!trade.ok) return trade;
    const oldest = trade.value;
    // A reversal is newer than the trade that it reversed.
    const history = await this.#historyUntil(
      (read) => read.some(({ tradeid }) => tradeid === oldest.tradeid) || isOlder(read.at(-1), oldest),
    );
    return history.ok ? { ok: true, value: reversalIn(history.value.rows, oldest) } : history;
  }

  async tradesSince(sinceMs: number): Promise<SteamAnswer<TradeHistory>> {
    const history = await this.#historyUntil(
      (read) => (read.at(-1)?.time_init ?? Number.POSITIVE_INFINITY) * 1000 < sinceMs,
    );
    if (!history.ok) return history;
    const { rows, pages } = history.value;
    const trades = new Map(rows.map((row) => [row.tradeid, tradeReportOf(row)]));
    const parties = new Map(rows.map((row) => [row.tradeid, partiesOf(row)]));
    return { ok: true, value: { trades, parties, pages } };
  }

  inventory(
    steamId: string,
    appId: number,
    contextId: string,
    visitor?: InventoryVisitor,
  ): Promise<InventoryAnswer> {
    const isOwn = steamId === this.steamId;
    return readInventoryPages(
      (start, waiting) => this.#inventoryPage({ steamId, appId, contextId, start }, waiting),
      { appId, contextId, isOwn, visitor },
    );
  }

  async holdDurations(
    partnerSteamId: string,
    tradeToken: string,
    visitor?: Visitor,
  ): Promise<SteamAnswer<HoldDurations>> {
    const answer = await this.#webApi(
      'GetTradeHoldDurations',
      { steamid_target: partnerSteamId, trade_offer_access_token: tradeToken },
      holdAnswer,
      { visitor },
    );
    return answer.ok ? { ok: true, value: holdDurationsOf(answer.value) } : answer;
  }

  profile = (): Promise<SteamAnswer<SteamProfile>> => this.#players.profile(this.steamId);

  backpack = (): Promise<SteamAnswer<Backpack>> => this.#players.backpack(this.steamId);

  /** Acknowledges Steam's notice about Trade Protection; until an account has done so once, its offers fail. */
  async acknowledgeProtection(): Promise<SteamAnswer<null>> {
    const community = this.#community as unknown as { acknowledgeTradeProtection(callback: never): void };
    const done = await this.#act('community', () =>
      callbackToPromise<void>((callback) => community.acknowledgeTradeProtection(callback)),
    );
    return done.ok ? { ok: true, value: null } : done;
  }

  get clockAheadMs(): number {
    return this.#session.clockAheadSeconds * 1000;
  }

  get #manager() {
    return this.#session.clients.manager;
  }

  get #community() {
    return this.#session.clients.community;
  }

  async #trade(tradeId: string): Promise<SteamAnswer<Trade>> {
    const answer = await this.#webApi('GetTradeStatus', { tradeid: tradeId }, tradesAnswer);
    if (!answer.ok) return answer;
    const trade = answer.value.response.trades.find(({ tradeid }) => tradeid === tradeId);
    return trade
      ? { ok: true, value: trade }
      : failure('steamUnavailable', 'later', `no trade ${tradeId}, or one that cannot be read`);
  }

  /** Reads the trades of the history, page by page from the newest, until `isLast` accepts a page. */
  async #historyUntil(
    isEnough: (read: readonly Trade[]) => boolean,
  ): Promise<SteamAnswer<{ rows: readonly Trade[]; pages: number }>> {
    const rows: Trade[] = [];
    for (let pages = 1; pages <= MAX_HISTORY_PAGES; pages++) {
      const last = rows.at(-1);
      const answer = await this.#webApi(
        'GetTradeHistory',
        {
          max_trades: HISTORY_PAGE,
          include_failed: 1,
          get_descriptions: 0,
          ...(last && { start_after_time: last.time_init ?? 0, start_after_tradeid: last.tradeid }),
        },
        tradesAnswer,
      );
      if (!answer.ok) return answer;
      const read = answer.value.response.trades;
      rows.push(...read);
      const isOver = !answer.value.response.more || rows.at(-1) === last;
      if (isOver || isEnough(read)) return { ok: true, value: { rows, pages } };
    }
    return { ok: true, value: { rows, pages: MAX_HISTORY_PAGES } };
  }

  async #inventoryPage({ steamId, appId, contextId, start }: InventoryPage, visitor?: Visitor) {
    const read = await this.#call({ service: 'inventory', visitor, classify: classifyReadError }, () =>
      getJson(this.#community, `https://steamcommunity.com/inventory/${steamId}/${appId}/${contextId}`, {
        l: 'english',
        count: INVENTORY_PAGE,
        ...(start && { start_assetid: start }),
      }),
    );
    if (!read.ok) {
      // One's own inventory is never private, so the session is dead.
      if (read.code !== 'inventoryPrivate' || steamId !== this.steamId) return read;
      this.#session.webSessionLost();
      return failure('steamSessionLost', 'later', read.detail);
    }
    const page = inventoryPage.safeParse(read.value.body);
    return page.success
      ? { ok: true as const, value: page.data }
      : failure('steamUnavailable', 'later', `the inventory has another form: ${page.error.message}`);
  }

  #explain(refusal: SteamFailure, request: OfferRequest): Promise<SteamFailure> {
    return explainRefusal(refusal, request, {
      ownSteamId: this.steamId,
      checkLink: ({ partnerSteamId, tradeToken }) => this.holdDurations(partnerSteamId, tradeToken),
      countItems: async (steamId, { appId, contextId }) => {
        const page = await this.#inventoryPage({ steamId, appId, contextId, start: '' });
        return page.ok ? { ok: true, value: page.value.total_inventory_count ?? null } : page;
      },
      inventory: (steamId, appId, contextId) => this.inventory(steamId, appId, contextId),
      isGameBanned: (steamId) => this.#players.isGameBanned(steamId),
      countSlots: async (steamId) => {
        const backpack = await this.#players.backpack(steamId);
        return backpack.ok ? { ok: true, value: backpack.value.slots } : backpack;
      },
    });
  }

  #act = <T>(service: RemoteService, call: () => Promise<T>, deadlineMs?: number): Promise<SteamAnswer<T>> =>
    this.#call({ service, classify: classifyActionError, deadlineMs }, call);

  #read = <T>(service: RemoteService, call: () => Promise<T>) =>
    this.#call({ service, classify: classifyReadError }, call);

  async #call<T>(request: Request, call: () => Promise<T>): Promise<SteamAnswer<T>> {
    const { service, classify, visitor, deadlineMs } = request;
    if (!this.#session.isReady) return failure('steamSessionLost', 'later', 'no web session');
    try {
      const answer = () => answerInTime(this.#session, this.#leftMs, call, deadlineMs);
      const limiter = this.#limiters[service];
      const taken = await limiter.take(async () => this.#leftMs() > 0 && { answer: await answer() }, visitor);
      if (taken?.value) return { ok: true, value: taken.value.answer };
      const why = taken ? 'the lease ended' : `no turn for ${service} in time`;
      return failure('steamBusy', 'later', why);
    } catch (error) {
      const classified = classify(error as SteamError);
      if (classified.isCutOff) return classified;
      steamErrors.inc({ code: classified.code });
      if (classified.code === 'steamSessionLost') this.#session.webSessionLost();
      if (classified.code === 'steamBusy' || classified.code === 'sendingLimited')
        this.#limiters[service].refuseVisitors();
      const waitMs = classified.code === 'sendingLimited' ? this.#session.clients.waitMs() : 0;
      return waitMs > 0 ? { ...classified, waitMs } : classified;
    }
  }

  async #webApi<S extends z.ZodType>(
    method: string,
    query: Record<string, string | number>,
    schema: S,
    { path = `IEconService/${method}/v1`, visitor }: { path?: string; visitor?: Visitor | undefined } = {},
  ): Promise<SteamAnswer<z.output<S>>> {
    const answered = await this.#call({ service: 'webApi', visitor, classify: classifyReadError }, () =>
      getJson(this.#community, `https://api.steampowered.com/${path}/`, {
        ...query,
        access_token: this.#session.accessToken,
      }),
    );
    if (!answered.ok) return answered;
    const { body, result } = answered.value;
    const refused = refusalOf(result, hasContent(body));
    if (refused) return refused;
    const parsed = schema.safeParse(body);
    return parsed.success
      ? { ok: true, value: parsed.data }
      : failure('steamUnavailable', 'later', `${method} answered in another form: ${parsed.error.message}`);
  }
}
