import type { Refusal } from './state.ts';

/** The result numbers that Steam's trade pages answer with, under their names in Steam's own list. */
export const eresult = {
  fail: 2,
  invalidParam: 8,
  invalidState: 11,
  accessDenied: 15,
  timeout: 16,
  insufficientPrivilege: 24,
  limitExceeded: 25,
  revoked: 26,
  alreadyLoggedInElsewhere: 50,
} as const;

const sentences = {
  send: 'There was an error sending your trade offer.  Please try again later.',
  accept: 'There was an error accepting this trade offer.  Please try again later.',
  decline: 'There was an error declining this trade offer.  Please try again later.',
  cancel: 'There was an error canceling this trade offer.  Please try again later.',
  counter: 'There was an error modifying this trade offer.  Please try again later.',
} as const;
export type TradeAct = keyof typeof sentences;

/** Steam tells programs apart what went wrong only by the number at the very end of the sentence. */
export function refuse(act: TradeAct, result: number, detail = ''): Refusal {
  return { ok: false, eresult: result, message: `${sentences[act]}${detail} (${result})` };
}

/** Some refusals carry no number; programs recognise them by their wording. */
export function refuseInWords(result: number, message: string): Refusal {
  return { ok: false, eresult: result, message };
}
