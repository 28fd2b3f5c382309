import { getConfirmationKey, time as guardTime } from 'steam-totp';
import TradeOfferManager from 'steam-tradeoffer-manager';
import type TradeOffer from 'steam-tradeoffer-manager/lib/classes/TradeOffer.js';
import type { z } from 'zod';
import { type CommunityItem, inventoryItemOf } from '#bot/steam/inventory-item.ts';
import type { Limiters, RemoteService } from '#bot/steam/limiters.ts';
import type {
  AssetName,
  HoldDurations,
  InventoryItem,
  OfferRequest,
  SentOffer,
  SteamAccount,
  SteamAnswer,
  SteamFailure,
  TradeReport,
} from '#bot/steam/steam-account.ts';
import { callbackToPromise } from '#bot/steam/steam-clients.ts';
import {
  classifyActionError,
  classifyReadError,
  failure,
  type SteamError,
  withDeadline,
} from '#bot/steam/steam-failure.ts';
import type { SteamSession } from '#bot/steam/steam-session.ts';
import {
  holdAnswer,
  holdDurationsOf,
  refusalOf,
  reversalIn,
  tradeReportOf,
  tradesAnswer,
} from '#bot/steam/trade-web-api.ts';
import type { MovedAsset } from '#domain/transfer/transfer-effects.ts';
import type { SteamOfferState } from '#domain/transfer/transfer-machine.ts';

/** Longer than the HTTP timeout, so that no request outlives its deadline. */
const CALL_DEADLINE_MS = 45_000;
/** An inventory may have several pages. */
const INVENTORY_DEADLINE_MS = 90_000;
const TRADE_CONFIRMATION = 2;
const HISTORY_TRADES = 100;

interface Confirmation {
  type: number;
  creator: string | number;
  respond(time: number, key: { tag: string; key: string }, accept: boolean, callback: never): void;
}

export interface LiveAccountParts {
  botId: string;
  steamId: string;
  identitySecret: string;
  session: SteamSession;
  limiters: Limiters;
}

/** A bot's account, backed by the Steam packages. */
export class LiveAccount implements SteamAccount {
  readonly botId: string;
  readonly steamId: string;
  readonly #identitySecret: string;
  readonly #session: SteamSession;
  readonly #limiters: Limiters;
  #lastConfirmationTime = 0;

  constructor({ botId, steamId, identitySecret, session, limiters }: LiveAccountParts) {
    this.botId = botId;
    this.steamId = steamId;
    this.#identitySecret = identitySecret;
    this.#session = session;
    this.#limiters = limiters;
  }

  async sendOffer(
    request: OfferRequest,
  ): Promise<SteamAnswer<{ offerId: string; needsConfirmation: boolean }>> {
    const offer = this.#manager.createOffer(request.partnerSteamId, request.tradeToken);
    for (const asset of request.give) offer.addMyItem(communityName(asset) as never);
    for (const asset of request.receive) offer.addTheirItem(communityName(asset) as never);
    offer.setMessage(request.message);
    const sent = await this.#act('community', () =>
      callbackToPromise<'sent' | 'pending'>((callback) => offer.send(callback)),
    );
    if (!sent.ok) return this.#explain(sent, request);
    // An answer without an offer does not prove that none was created.
    if (!offer.id) return failure('answerLost', 'unknown', 'Steam answered without an offer');
    return { ok: true, value: { offerId: String(offer.id), needsConfirmation: sent.value === 'pending' } };
  }

  async confirmOffers(offerIds: readonly string[]): Promise<SteamAnswer<null>> {
    const listed = await this.#read('confirmations', () => {
      const { time, key } = this.#confirmationKey('list');
      return callbackToPromise<Confirmation[]>((callback) =>
        this.#community.getConfirmations(time, key as never, callback),
      );
    });
    if (!listed.ok) return listed;
    const ours = listed.value.filter(
      ({ type, creator }) => type === TRADE_CONFIRMATION && offerIds.includes(String(creator)),
    );
    let refused: SteamFailure | null = null;
    for (const confirmation of ours) {
      const { time, key } = this.#confirmationKey('accept');
      const done = await this.#act('community', () =>
        callbackToPromise<void>((callback) => confirmation.respond(time, key, true, callback)),
      );
      if (!done.ok) refused = done;
    }
    return refused ?? { ok: true, value: null };
  }

  async cancelOffer(offerId: string): Promise<SteamAnswer<null>> {
    const found = await this.#offer(offerId);
    if (!found.ok) return found;
    const cancelled = await this.#act('community', () =>
      callbackToPromise<void>((callback) => found.value.cancel(callback)),
    );
    return cancelled.ok ? { ok: true, value: null } : cancelled;
  }

  async offersSince(sinceMs: number): Promise<SteamAnswer<readonly SentOffer[]>> {
    const sent = await this.#read('webApi', () =>
      callbackToPromise<TradeOffer[]>((callback) =>
        this.#manager.getOffers(TradeOfferManager.EOfferFilter.ActiveOnly, new Date(sinceMs), callback),
      ),
    );
    return sent.ok ? { ok: true, value: sent.value.map(sentOfferOf) } : sent;
  }

  async offer(offerId: string): Promise<SteamAnswer<SentOffer>> {
    const found = await this.#offer(offerId);
    return found.ok ? { ok: true, value: sentOfferOf(found.value) } : found;
  }

  async getTrade(tradeId: string): Promise<SteamAnswer<TradeReport>> {
    const answer = await this.#webApi('GetTradeStatus', { tradeid: tradeId }, tradesAnswer);
    if (!answer.ok) return answer;
    const trade = answer.value.response.trades.find(({ tradeid }) => tradeid === tradeId);
    return trade
      ? { ok: true, value: tradeReportOf(trade) }
      : failure('steamUnavailable', 'later', `no trade ${tradeId}`);
  }

  async getReversal(tradeId: string): Promise<SteamAnswer<readonly MovedAsset[]>> {
    const status = await this.#webApi('GetTradeStatus', { tradeid: tradeId }, tradesAnswer);
    if (!status.ok) return status;
    const history = await this.#webApi(
      'GetTradeHistory',
      { max_trades: HISTORY_TRADES, include_failed: 1, get_descriptions: 0 },
      tradesAnswer,
    );
    if (!history.ok) return history;
    const reversed = status.value.response.trades.find(({ tradeid }) => tradeid === tradeId);
    return { ok: true, value: reversalIn(history.value.response.trades, reversed) };
  }

  async inventory(
    steamId: string,
    appId: number,
    contextId: string,
  ): Promise<SteamAnswer<readonly InventoryItem[]>> {
    const items = await this.#read(
      'inventory',
      () =>
        callbackToPromise<CommunityItem[]>((callback) =>
          this.#manager.getUserInventoryContents(steamId, appId, Number(contextId), false, callback),
        ),
      INVENTORY_DEADLINE_MS,
    );
    return items.ok ? { ok: true, value: items.value.map(inventoryItemOf) } : items;
  }

  async holdDurations(partnerSteamId: string, tradeToken: string): Promise<SteamAnswer<HoldDurations>> {
    const answer = await this.#webApi(
      'GetTradeHoldDurations',
      { steamid_target: partnerSteamId, trade_offer_access_token: tradeToken },
      holdAnswer,
    );
    return answer.ok ? { ok: true, value: holdDurationsOf(answer.value) } : answer;
  }

  /** Acknowledges Steam's notice about Trade Protection; until an account has done so once, its offers fail. */
  async acknowledgeProtection(): Promise<SteamAnswer<null>> {
    const community = this.#community as unknown as { acknowledgeTradeProtection(callback: never): void };
    const done = await this.#act('community', () =>
      callbackToPromise<void>((callback) => community.acknowledgeTradeProtection(callback)),
    );
    return done.ok ? { ok: true, value: null } : done;
  }

  get #manager() {
    return this.#session.clients.manager;
  }

  get #community() {
    return this.#session.clients.community;
  }

  #offer(offerId: string): Promise<SteamAnswer<TradeOffer>> {
    return this.#read('webApi', () =>
      callbackToPromise<TradeOffer>((callback) => this.#manager.getOffer(offerId, callback)),
    );
  }

  /**
   * Steam gives the same refusal for a dead trade link and for a full or hidden inventory; a check of the link tells
   * which.
   */
  async #explain(refusal: SteamFailure, request: OfferRequest): Promise<SteamFailure> {
    if (refusal.code !== 'steamTokenInvalid') return refusal;
    const link = await this.holdDurations(request.partnerSteamId, request.tradeToken);
    if (link.ok) return failure('inventoryUnavailable', 'never', refusal.detail);
    return refusal;
  }

  /** Steam refuses a second request with the same key and second, so each request uses a new second. */
  #confirmationKey(tag: 'list' | 'accept') {
    const time = Math.max(guardTime(0), this.#lastConfirmationTime + 1);
    this.#lastConfirmationTime = time;
    return { time, key: { tag, key: getConfirmationKey(this.#identitySecret, time, tag) } };
  }

  #act<T>(service: RemoteService, call: () => Promise<T>): Promise<SteamAnswer<T>> {
    return this.#call(service, call, classifyActionError, CALL_DEADLINE_MS);
  }

  #read<T>(service: RemoteService, call: () => Promise<T>, deadlineMs = CALL_DEADLINE_MS) {
    return this.#call(service, call, classifyReadError, deadlineMs);
  }

  async #call<T>(
    service: RemoteService,
    call: () => Promise<T>,
    classify: (error: SteamError) => SteamFailure,
    deadlineMs: number,
  ): Promise<SteamAnswer<T>> {
    if (!this.#session.isReady) return failure('steamSessionLost', 'later', 'no web session');
    try {
      const taken = await this.#limiters[service].take(() => withDeadline(call(), deadlineMs));
      return taken
        ? { ok: true, value: taken.value }
        : failure('steamBusy', 'later', `the queue for ${service} is too long`);
    } catch (error) {
      const classified = classify(error as SteamError);
      if (classified.code === 'steamSessionLost') this.#session.webSessionLost();
      return classified;
    }
  }

  async #webApi<S extends z.ZodType>(
    method: string,
    query: Record<string, string | number>,
    schema: S,
  ): Promise<SteamAnswer<z.output<S>>> {
    const answered = await this.#read('webApi', () => this.#get(method, query));
    if (!answered.ok) return answered;
    const refused = refusalOf(answered.value.result);
    if (refused) return refused;
    const parsed = schema.safeParse(answered.value.body);
    return parsed.success
      ? { ok: true, value: parsed.data }
      : failure('steamUnavailable', 'later', `${method} answered in another form: ${parsed.error.message}`);
  }

  #get(method: string, query: Record<string, string | number>) {
    const options = {
      uri: `https://api.steampowered.com/IEconService/${method}/v1/`,
      qs: { ...query, access_token: this.#session.accessToken },
      json: true,
      gzip: true,
    };
    return new Promise<{ body: unknown; result: string | undefined }>((resolve, reject) => {
      this.#community.httpRequestGet(
        options as never,
        ((error: Error | null, response: { headers: Record<string, string | undefined> }, body: unknown) =>
          error ? reject(error) : resolve({ body, result: response.headers['x-eresult'] })) as never,
      );
    });
  }
}

const communityName = ({ appId, contextId, assetId }: AssetName) => ({
  appid: appId,
  contextid: contextId,
  assetid: assetId,
});

function sentOfferOf(offer: TradeOffer): SentOffer {
  const names = (items: readonly { appid: number | string; contextid: string; assetid: string | number }[]) =>
    items.map(({ appid, contextid, assetid }) => ({
      appId: Number(appid),
      contextId: String(contextid),
      assetId: String(assetid),
    }));
  const states = TradeOfferManager.ETradeOfferState as unknown as Record<number, SteamOfferState>;
  return {
    offerId: String(offer.id),
    partnerSteamId: offer.partner.getSteamID64(),
    message: offer.message ?? '',
    // An unknown state allows no conclusion, so it is read as Active: nothing has happened yet.
    state: states[offer.state] ?? 'Active',
    tradeId: offer.tradeID ? String(offer.tradeID) : null,
    give: names(offer.itemsToGive as never),
    receive: names(offer.itemsToReceive as never),
  };
}
