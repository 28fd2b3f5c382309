import { LeaseLapsed } from '#bot/call-in-time.ts';
import { countOddRefusal } from '#bot/steam/odd-refusals.ts';
import type { Retry, SteamCode, SteamFailure } from '#bot/steam/steam-account.ts';

/**
 * An error thrown by the Steam packages: a result number, sometimes as a string, and for some refusals a
 * cause.
 */
export type SteamError = Error & {
  eresult?: number | string;
  cause?: unknown;
  code?: unknown;
  /** Steam answered 403 without content: a private inventory, or a dead session that reads its own. */
  isPrivate?: boolean;
};

export const failure = (code: SteamCode, retry: Retry, detail = ''): SteamFailure => ({
  ok: false,
  code,
  retry,
  detail,
});

type Verdict = readonly [SteamCode, Retry];

/** Refusals that the trade pages describe in prose, under steam-tradeoffer-manager's names for them. */
const verdictOfCause: Record<string, Verdict> = {
  TradeBan: ['tradeBanned', 'never'],
  NewDevice: ['botRestricted', 'afterHuman'],
  TargetCannotTrade: ['partnerCannotTrade', 'never'],
  OfferLimitExceeded: ['offerLimit', 'later'],
  ItemServerUnavailable: ['steamUnavailable', 'later'],
};

/**
 * Results with a meaning; those that leave no doubt prove that no offer was created. 2 (fail), 16 (timeout), 20
 * without its cause and 55 (remote call failed) are left out on purpose: an offer may exist despite them.
 */
const verdictOfResult: Record<number, Verdict> = {
  /** Follows the acceptance of a big offer (TF2Autobot, UserCart.ts), as 16 does. */
  10: ['steamBusy', 'unknown'],
  8: ['itemUnavailable', 'never'],
  11: ['offerClosed', 'never'],
  15: ['steamTokenInvalid', 'never'],
  24: ['botRestricted', 'afterHuman'],
  25: ['offerLimit', 'later'],
  26: ['itemUnavailable', 'never'],
  28: ['offerClosed', 'never'],
  /** The account's name was changed lately; lasts hours (steam-tradeoffer-manager#341). */
  34: ['botRenamed', 'unknown'],
  42: ['offerUnknown', 'later'],
  50: ['offerLimit', 'later'],
  84: ['sendingLimited', 'later'],
};

/** The connection was never made, so nothing reached Steam. */
const unconnected = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|tunneling socket could not/;
/** Refused before anything is done; on trade pages it may last for hours (bukson/steampy#444). */
const tooManyRequests = /HTTP error 429/;
/** Words of the network, its packages and servers in trouble, in place of Steam's. */
const unanswered =
  /^(socket hang up|HTTP error 5\d\d|Malformed JSON response)$|\bE(CONN[A-Z]+|(SOCKET)?TIMEDOUT|AI_AGAIN|NOTFOUND|PIPE|PROTO|(HOST|NET)UNREACH)\b/;
const sessionLost = /^(Not Logged In|API key or access token is not set yet)/;

/**
 * Classifies an error of a call that changes something: unless it is a definite refusal, the change may have happened.
 */
export function classifyActionError(error: SteamError): SteamFailure {
  const detail = error.message;
  if (error instanceof LeaseLapsed) return { ...failure('answerLost', 'unknown', detail), isCutOff: true };
  const known =
    verdictOfCause[String(error.cause)] ?? verdictOfResult[Number(error.eresult)] ?? verdictOfWords(error);
  const isUnreached = isUnanswered(error);
  if (!known && !isUnreached) countOddRefusal(error);
  const failed = known ? failure(known[0], known[1], detail) : failure('answerLost', 'unknown', detail);
  return isUnreached ? { ...failed, isUnanswered: true } : failed;
}

/** Returns whether an error is none of Steam's own: Steam numbers or words a refusal. */
const isUnanswered = (error: SteamError): boolean =>
  error.eresult === undefined &&
  error.cause === undefined &&
  (error instanceof DeadlineError || unanswered.test(error.message) || unanswered.test(String(error.code)));

/** Refusals that Steam words without a number, as TF2Autobot (Trades.ts, UserCart.ts) recognizes them. */
const verdictOfSentence: readonly (readonly [RegExp, Verdict])[] = [
  [/can only be sent to friends/i, ['friendsOnly', 'never']],
  [/maximum number of items allowed in/i, ['inventoryFull', 'never']],
  [/\btoo many requests\b/i, ['sendingLimited', 'later']],
];

function verdictOfWords({ message, code }: SteamError): Verdict | null {
  if (tooManyRequests.test(message)) return ['sendingLimited', 'later'];
  const [, sentence] = verdictOfSentence.find(([words]) => words.test(message)) ?? [];
  if (sentence) return sentence;
  if (sessionLost.test(message)) return ['steamSessionLost', 'later'];
  if (unconnected.test(`${String(code)} ${message}`)) return ['steamUnavailable', 'later'];
  if (/^You cannot trade because you have a trade ban/.test(message)) return ['botRestricted', 'afterHuman'];
  return null;
}

/** Classifies an error of a read: nothing has changed, and a retry may succeed. */
export function classifyReadError(error: SteamError): SteamFailure {
  const { message } = error;
  if (error instanceof LeaseLapsed) return { ...failure('steamBusy', 'later', message), isCutOff: true };
  if (error.isPrivate) return failure('inventoryPrivate', 'never', message);
  if (tooManyRequests.test(message)) return failure('steamBusy', 'later', message);
  if (sessionLost.test(message) || /HTTP error 401/.test(message))
    return failure('steamSessionLost', 'later', message);
  return failure('steamUnavailable', 'later', message);
}

/** A call to Steam passed its deadline; whether it had an effect is unknown. */
export class DeadlineError extends Error {
  constructor(ms: number) {
    super(`no answer within ${ms} ms`);
  }
}

/** Stops waiting after `ms`. The call itself may go on, which is why a deadline counts as a lost answer. */
export async function withDeadline<T>(call: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new DeadlineError(ms)), ms);
  });
  try {
    return await Promise.race([call, late]);
  } finally {
    clearTimeout(timer);
  }
}
