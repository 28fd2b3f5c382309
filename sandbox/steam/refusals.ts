import type { Refusal } from './state.ts';

/** Result numbers of Steam's trade pages, under Steam's names for them. */
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

/** A refusal as Steam words it: clients can tell the reason only by the number at the end. */
export function refuse(act: TradeAct, result: number, detail = ''): Refusal {
  return { ok: false, eresult: result, message: `${sentences[act]}${detail} (${result})` };
}

/** A refusal without a number, which clients recognize by its wording. */
export function refuseInWords(result: number, message: string): Refusal {
  return { ok: false, eresult: result, message };
}
