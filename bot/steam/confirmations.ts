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

/** A signature's time may differ from Steam's by less than this. */
const KEY_LIFE_S = 60;

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
    return this.#inSteamsTime(
      callbackToPromise((callback) =>
        this.#session.clients.community.getConfirmations(time, key as never, callback),
      ),
    );
  }

  /** Accepts any number of confirmations with one request. */
  accept(confirmations: readonly Confirmation[]): Promise<void> {
    const { time, key } = this.#key('accept');
    const [only, ...more] = confirmations;
    if (only && more.length === 0)
      return this.#inSteamsTime(callbackToPromise((callback) => only.respond(time, key, true, callback)));
    const [ids, keys] = [confirmations.map(({ id }) => id), confirmations.map((each) => each.key)];
    return this.#inSteamsTime(
      callbackToPromise((callback) =>
        this.#session.clients.community.respondToConfirmation(
          ids as never,
          keys as never,
          time,
          key as never,
          true,
          callback,
        ),
      ),
    );
  }

  /** Passes an answer on. A refusal may be one of the time that was signed, so Steam's is read anew for the next try. */
  async #inSteamsTime<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      await this.#session.compareClocks();
      throw error;
    }
  }

  /**
   * Steam refuses a second request with the same key and second, so each request uses a new second. One that is far ahead
   * was signed by a wrong clock, and nothing after it needs to be.
   */
  #key(tag: 'list' | 'accept') {
    const now = guardTime(this.#session.clockAheadSeconds);
    const isUsed = now <= this.#lastTime && this.#lastTime < now + KEY_LIFE_S;
    const time = isUsed ? this.#lastTime + 1 : now;
    this.#lastTime = time;
    return { time, key: { tag, key: getConfirmationKey(this.#identitySecret, time, tag) } };
  }
}
