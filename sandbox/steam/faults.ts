import type { Fault, FaultEffect, FaultTarget, WorldState } from './state.ts';

export type FaultRequest = {
  target: FaultTarget;
  when: 'before' | 'after';
  effect: FaultEffect;
  steamId?: string | null | undefined;
  times?: number | undefined;
};

/** Named faults that can be ordered in the control panel. */
export const faultPresets = {
  sendAnswers500AfterEffect: { target: 'send', when: 'after', effect: { kind: 'status', status: 500 } },
  sendDropsAfterEffect: { target: 'send', when: 'after', effect: { kind: 'drop' } },
  sendTimesOutAfterEffect: { target: 'send', when: 'after', effect: { kind: 'result', eresult: 16 } },
  sendAnswers500BeforeEffect: { target: 'send', when: 'before', effect: { kind: 'status', status: 500 } },
  sendDropsBeforeEffect: { target: 'send', when: 'before', effect: { kind: 'drop' } },
  sendTimesOutBeforeEffect: { target: 'send', when: 'before', effect: { kind: 'result', eresult: 16 } },
  /** DoctorMcKay/node-steam-tradeoffer-manager#341: for hours after the account's name was changed. */
  sendAfterRename: { target: 'send', when: 'before', effect: { kind: 'result', eresult: 34 } },
  /** Busy after a big offer was accepted (TF2Autobot, UserCart.ts). */
  sendBusy: { target: 'send', when: 'before', effect: { kind: 'result', eresult: 10 } },
  /** In words only (TF2Autobot, Trades.ts). */
  sendToFriendsOnly: {
    target: 'send',
    when: 'before',
    effect: { kind: 'words', message: 'Offers to this account can only be sent to friends.' },
  },
  sendToFullInventory: {
    target: 'send',
    when: 'before',
    effect: {
      kind: 'words',
      message: 'You have the maximum number of items allowed in your Demo Game inventory.',
    },
  },
  /** For three to six hours, on the trade pages alone (bukson/steampy#444). */
  sendRateLimited: {
    target: 'send',
    when: 'before',
    effect: { kind: 'status', status: 429, retryAfterSeconds: 1 },
  },
  itemServerDown: { target: 'send', when: 'before', effect: { kind: 'result', eresult: 20 } },
  acceptAnswers500AfterEffect: { target: 'accept', when: 'after', effect: { kind: 'status', status: 500 } },
  confirmationDropsAfterEffect: { target: 'confirm', when: 'after', effect: { kind: 'drop' } },
  /** Single ones work meanwhile (DoctorMcKay/steam-twofactor-server#5, node-steamcommunity#351). */
  confirmingTogetherFails: {
    target: 'confirmTogether',
    when: 'before',
    effect: { kind: 'body', body: { success: false } },
  },
  confirmationsRateLimited: {
    target: 'confirmations',
    when: 'before',
    effect: { kind: 'status', status: 429, retryAfterSeconds: 5 },
  },
  inventoryRateLimited: {
    target: 'inventory',
    when: 'before',
    effect: { kind: 'status', status: 429, retryAfterSeconds: 5 },
  },
  nextRequestRateLimited: {
    target: 'any',
    when: 'before',
    effect: { kind: 'status', status: 429, retryAfterSeconds: 5 },
  },
  logOnRefused: { target: 'logOn', when: 'before', effect: { kind: 'result', eresult: 5 } },
  /**
   * The account is logged on, but gets neither an access token nor a new refresh token
   * (DoctorMcKay/node-steam-session#22, node-steam-user#541).
   */
  renewalRefused: { target: 'renewal', when: 'before', effect: { kind: 'result', eresult: 15 } },
  pollAnswers503: { target: 'getTradeOffers', when: 'before', effect: { kind: 'status', status: 503 } },
} as const satisfies Record<string, FaultRequest>;
export type FaultPreset = keyof typeof faultPresets;

export function addFault(state: WorldState, request: FaultRequest): Fault {
  const fault: Fault = {
    id: String(state.nextId.fault),
    target: request.target,
    when: request.when,
    effect: request.effect,
    steamId: request.steamId ?? null,
    remaining: Math.max(1, request.times ?? 1),
  };
  state.nextId.fault += 1;
  state.faults.push(fault);
  return fault;
}

/** Uses up the oldest fault pending for this request, if there is one. A log-on is not a request to a web site. */
export function takeFault(state: WorldState, target: FaultTarget, steamId: string | null): Fault | null {
  const fault = state.faults.find(
    (waiting) =>
      (waiting.target === target ||
        (waiting.target === 'any' && target !== 'logOn' && target !== 'renewal')) &&
      (waiting.steamId === null || waiting.steamId === steamId),
  );
  if (fault === undefined) return null;
  fault.remaining -= 1;
  if (fault.remaining === 0) state.faults = state.faults.filter((waiting) => waiting !== fault);
  return fault;
}
