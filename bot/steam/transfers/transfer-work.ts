import type { BotDeps } from '#bot/deps.ts';
import type { SteamAccount } from '#bot/steam/steam-account.ts';
import type { StandingReading } from '#domain/reward/check-claim.ts';
import type { ClaimToCheck } from '#domain/reward/list-claims-to-check.ts';
import type { OwnInventory } from './own-inventory.ts';

/** How often a bot's transfers are looked after. System time: it paces calls of Steam, not what is due. */
export interface TransferPace {
  /** Steam's offers are polled for changes at this interval; a push comes sooner. */
  pollMs: number;
  queueMs: number;
  /** Every open offer is read by its id at this interval, whatever was pushed or polled. */
  followMs: number;
  /** Between two polls that together prove that a doubtful offer does not exist. */
  absenceMs: number;
  confirmMs: number;
  /** A failed confirmation is tried again after this, doubled five times. */
  confirmRetryMs: number;
  settleMs: number;
  reconcileMs: number;
}

export const transferPace: TransferPace = {
  pollMs: 15_000,
  queueMs: 3000,
  followMs: 120_000,
  absenceMs: 60_000,
  confirmMs: 5000,
  confirmRetryMs: 2000,
  settleMs: 10 * 60_000,
  reconcileMs: 60 * 60_000,
};

/** Asks Twitch what a claim's rule asks of its viewer; what it cannot be asked or does not answer is missing. */
export type ReadStanding = (
  claim: Pick<ClaimToCheck, 'channelId' | 'twitchId' | 'asks'>,
) => Promise<StandingReading>;

/** What the workers of one bot's transfers share. */
export interface TransferWork {
  deps: BotDeps;
  botId: string;
  /** The process that may act for the bot. */
  holder: string;
  pace: TransferPace;
  /** Null while the bot is not ours or not logged on. */
  account(): SteamAccount | null;
  inventory: OwnInventory;
  readStanding: ReadStanding;
  /** Starts the other kinds of work at once, when one kind has made something for them. */
  nudge(): void;
  /** Compares custody with the inventory soon, because something contradicted it. */
  doubtCustody(): void;
}
