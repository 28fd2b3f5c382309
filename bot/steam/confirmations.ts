import { getConfirmationKey, time as guardTime } from 'steam-totp';
import { callbackToPromise } from '#bot/steam/steam-clients.ts';
import type { SteamSession } from '#bot/steam/steam-session.ts';

/**
 * A confirmation that waits for an account's authenticator, as steamcommunity lists it; `creator` is the
 * offer, if it is a trade.
 */
export interface Confirmation {
  id: string;
  key: string;
  type: number;
  creator: string | number;
  respond(time: number, key: { tag: string; key: string }, accept: boolean, callback: never): void;
}

/** The type of trades in steamcommunity's `EConfirmationType`. */
const TRADE = 2;

/** Picks the confirmations of these offers. */
export const confirmationsOf = (
  offerIds: readonly string[],
  listed: readonly Confirmation[],
): Confirmation[] =>
  listed.filter(({ type, creator }) => type === TRADE && offerIds.includes(String(creator)));

/** Lists and accepts the confirmations that wait for one account's authenticator. */
export class Confirmer {
  readonly #identitySecret: string;
  readonly #session: SteamSession;
  #lastTime = 0;

  constructor(identitySecret: string, session: SteamSession) {
    this.#identitySecret = identitySecret;
    this.#session = session;
  }

  list(): Promise<Confirmation[]> {
    const { time, key } = this.#key('list');
    return callbackToPromise((callback) =>
      this.#session.clients.community.getConfirmations(time, key as never, callback),
    );
  }

  /** Accepts any number of confirmations with one request. */
  accept(confirmations: readonly Confirmation[]): Promise<void> {
    const { time, key } = this.#key('accept');
    const [only, ...more] = confirmations;
    if (only && more.length === 0)
      return callbackToPromise((callback) => only.respond(time, key, true, callback));
    const [ids, keys] = [confirmations.map(({ id }) => id), confirmations.map((each) => each.key)];
    return callbackToPromise((callback) =>
      this.#session.clients.community.respondToConfirmation(
        ids as never,
        keys as never,
        time,
        key as never,
        true,
        callback,
      ),
    );
  }

  /** Steam refuses a second request with the same key and second, so each request uses a new second. */
  #key(tag: 'list' | 'accept') {
    const time = Math.max(guardTime(this.#session.clockAheadSeconds), this.#lastTime + 1);
    this.#lastTime = time;
    return { time, key: { tag, key: getConfirmationKey(this.#identitySecret, time, tag) } };
  }
}
