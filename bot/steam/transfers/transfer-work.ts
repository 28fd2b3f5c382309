import type { LeasedDeps } from '#bot/leases.ts';
import { GIVING_DEADLINE_MS } from '#bot/steam/answer-in-time.ts';
import type { SteamAccount } from '#bot/steam/steam-account.ts';
import type { PauseLengths } from '#domain/bot/sending-pause.ts';
import type { StandingReading } from '#domain/claim/check-claim.ts';
import type { ClaimToCheck } from '#domain/claim/list-claims-to-check.ts';
import { day, hour, minute, second } from '#domain/kernel/time.ts';
import { OFFER_LIFETIME_MS } from '#domain/transfer/offer-limits.ts';
import type { InTurn } from './in-turn.ts';
import type { OwnInventory } from './own-inventory.ts';
import type { Patience } from './patience.ts';

/**
 * Intervals at which a bot's transfers are processed. System time: they pace requests to Steam, not
 * deadlines.
 */
export interface TransferPace {
  /** Interval between polls of Steam's offers for changes; a push comes sooner. */
  pollMs: number;
  /** Like `pollMs`, while no offer is open: such a poll can only find that the session has ended. */
  restingPollMs: number;
  queueMs: number;
  /** Interval at which every open offer is read by id, regardless of pushes and polls. */
  followMs: number;
  /** The time between the two polls that prove that an uncertain offer does not exist. */
  absenceMs: number;
  /** Like `absenceMs`, for an offer that gives something and that another process was sending when it ended. */
  interruptedMs: number;
  confirmMs: number;
  /** A created offer waits this long for others that are being sent, to be confirmed with them. */
  confirmTogetherMs: number;
  /** The pause after a failed confirmation; it doubles up to five times. */
  confirmRetryMs: number;
  /** An offer whose confirmation has not appeared after this long is cancelled and sent again. */
  unseenMs: number;
  /** The pause after a cancellation that Steam refused; each following one is twice as long. */
  cancelRetryMs: number;
  settleMs: number;
  reconcileMs: number;
  /** Interval between comparisons of what Steam's endpoints show of known offers. */
  selfTestMs: number;
  /** Interval between readings of the bot's room, and between checks whether its profile is due. */
  profileMs: number;
  /** An accepted deposit waits this long for Steam to report its new ids, before the inventory decides. */
  arrivalMs: number;
  /** The first pause after an accepted deposit was not in the inventory; each following one is twice as long. */
  arrivalRetryMs: number;
  /** A reversal waits this long for all of its assets to be found. */
  reversalMs: number;
  /**
   * Offers that Steam lists without identifying them keep an uncertain one from being sent again for this
   * long.
   */
  doubtMs: number;
  /** The pauses of all sending after refusals that concern the account. */
  refusals: Record<AccountRefusal, PauseLengths>;
  /** The pauses of all sending while Steam does not answer at all. */
  unanswered: PauseLengths;
}

/** The kinds of refusals that concern the account rather than one offer. */
export type AccountRefusal = 'limited' | 'busy' | 'renamed' | 'unclear';

export const transferPace: TransferPace = {
  pollMs: 15_000,
  restingPollMs: 60_000,
  queueMs: 3000,
  followMs: 120_000,
  absenceMs: 60_000,
  interruptedMs: GIVING_DEADLINE_MS,
  confirmMs: 5000,
  confirmTogetherMs: 2500,
  confirmRetryMs: 2000,
  unseenMs: 5 * minute,
  cancelRetryMs: 10 * second,
  settleMs: 10 * 60_000,
  reconcileMs: 60 * 60_000,
  selfTestMs: hour,
  profileMs: 60 * 60_000,
  arrivalMs: 5 * 60_000,
  arrivalRetryMs: 60_000,
  reversalMs: 60 * 60_000,
  doubtMs: 60 * 60_000,
  refusals: {
    // Lasts three to six hours (bukson/steampy#444).
    limited: { firstMs: 30 * minute, longestMs: 6 * hour },
    busy: { firstMs: 2 * minute, longestMs: 2 * hour },
    renamed: { firstMs: 30 * minute, longestMs: 6 * hour },
    unclear: { firstMs: minute, longestMs: hour, forgiven: 2 },
  },
  unanswered: { firstMs: 5 * second, longestMs: 2 * minute },
};

/**
 * Reads the viewer's standing with the Twitch conditions of a claim's rule. A fact that Twitch did not answer is left
 * out.
 */
export type ReadStanding = (
  claim: Pick<ClaimToCheck, 'channelId' | 'twitchId' | 'checks'>,
) => Promise<StandingReading>;

/** Shared by the workers of one bot's transfers. */
export interface TransferWork {
  deps: LeasedDeps;
  botId: string;
  /** This process in this epoch of its lease, as the holder of sendings. */
  holder: string;
  /** Names this instance in its offers. */
  instanceTag: string;
  pace: TransferPace;
  /** Null while another process holds the lease or the bot is not logged on. */
  account(): SteamAccount | null;
  /** Sets how often Steam's offers are polled. */
  pollEvery(ms: number): void;
  inventory: OwnInventory;
  patience: Patience;
  readStanding: ReadStanding;
  /** `isUnderWay` while offers are being sent; `sendingId` names the transfer whose turn it is. */
  delivery: { isUnderWay: boolean; sendingId: string | null };
  /** Transfers whose unseen offers are being cancelled, to be sent again. */
  resending: Set<string>;
  /** Books accepted deposits one after another. */
  bookArrival: InTurn;
  /** Wakes the other workers when one has made work for them. */
  nudge(): void;
  /** Compares custody with the inventory soon, because something contradicted it. */
  reconcileSoon(): void;
}

/**
 * Milliseconds by which to move a time of ours for Steam. The measured difference of the clocks may be out of
 * date, so it may only delay what is final and widen a search, never the opposite.
 */
export const surelyAheadMs = ({ clockAheadMs }: Pick<SteamAccount, 'clockAheadMs'>): number =>
  Math.min(0, clockAheadMs);

/** A clock that was put back was ahead by no more than this. */
const LONGEST_LEAD_MS = day;

/**
 * Time from which Steam is searched for what came of a request, by Steam's clock. Any request may have been made while
 * the clock was ahead, which nothing shows once the clock has caught up. Of one that still lies ahead not even that is
 * known, so everything is searched that can be open.
 */
export function searchFromMs(
  { deps }: Pick<TransferWork, 'deps'>,
  account: Pick<SteamAccount, 'clockAheadMs'>,
  requestedMs: number,
): number {
  const nowMs = deps.clock.now();
  const fromMs = requestedMs > nowMs ? nowMs - OFFER_LIFETIME_MS : requestedMs - LONGEST_LEAD_MS;
  return fromMs + surelyAheadMs(account);
}
