import type { SteamError } from '#bot/steam/steam-failure.ts';
import { answerWatch } from '#platform/answers/answer-watch.ts';
import { harmlessSentence } from '#platform/answers/harmless-sentence.ts';

const place = 'tradeoffer/new/send, cancel, confirm';
const usual = { platform: 'steam', place, reaction: 'unknown' } as const;

/**
 * Results that are known to leave open whether something was done: 2 (fail), 16 (timeout), 20 (unavailable) and 55
 * (remote call failed).
 */
const knownDoubts = new Set([2, 16, 20, 55]);
/** Errors of the way to Steam, and of the packages, which say nothing of Steam's own. */
const notSteams = /^(?:HTTP error|Malformed|no answer within|socket|read E|connect E|E[A-Z]+$)|timed? ?out/i;

/** Counts a refusal of an action in words, or with a number, that decide nothing because they are not known. */
export function countOddRefusal({ message, eresult, code }: SteamError): void {
  if (typeof code === 'string' || notSteams.test(message) || knownDoubts.has(Number(eresult))) return;
  const sentence = harmlessSentence(message);
  answerWatch.count({
    ...usual,
    path: 'strError',
    difference: 'value',
    found: sentence,
    example: JSON.stringify(sentence),
  });
}

/** Counts an answer to a sending that names no offer. */
export const countMissingOffer = (): void =>
  answerWatch.count({ ...usual, path: 'tradeofferid', difference: 'missing', found: '', example: null });
