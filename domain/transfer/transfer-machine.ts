import type { TransferState } from '#db/schema/transfer.ts';
import { defineMachine, type EventOf } from '#domain/kernel/machine.ts';

/** The life of one Steam trade offer. `uncertain`: the result of sending is unknown, so the offer may exist. */
export const transferMachine = defineMachine({
  queued: { started: 'sending', withdrawn: 'cancelled' },
  sending: {
    created: 'unconfirmed',
    sent: 'sent',
    refused: 'failed',
    deferred: 'queued',
    answerLost: 'uncertain',
  },
  uncertain: { foundUnconfirmed: 'unconfirmed', foundSent: 'sent', provenAbsent: 'queued' },
  unconfirmed: {
    confirmed: 'sent',
    cancelled: 'cancelled',
    invalidated: 'failed',
    mistaken: 'uncertain',
    /** Its confirmation never appeared, so it was cancelled before anybody saw it, and is sent again. */
    unseen: 'queued',
  },
  sent: {
    accepted: 'accepted',
    escrowed: 'escrowed',
    declined: 'declined',
    expired: 'expired',
    cancelled: 'cancelled',
    invalidated: 'failed',
  },
  escrowed: { accepted: 'accepted', rolledBack: 'failed' },
  accepted: { settled: 'settled', reversed: 'reversed' },
  settled: {},
  reversed: {},
  declined: {},
  expired: {},
  cancelled: {},
  failed: {},
} satisfies Record<TransferState, Record<string, TransferState>>);

type Table = typeof transferMachine.table;
export type TransferEvent = EventOf<Table>;
/** The events that lead into one of these states. */
export type EventInto<To extends TransferState> = {
  [From in TransferState]: {
    [E in keyof Table[From]]: Table[From][E] extends To ? E : never;
  }[keyof Table[From]];
}[TransferState];

/** All offer states Steam reports (ETradeOfferState). */
export type SteamOfferState =
  | 'Invalid'
  | 'Active'
  | 'Accepted'
  | 'Countered'
  | 'Expired'
  | 'Canceled'
  | 'Declined'
  | 'InvalidItems'
  | 'CreatedNeedsConfirmation'
  | 'CanceledBySecondFactor'
  | 'InEscrow';

/** The transfer event for each Steam state; null if nothing changed. A counter offer counts as a decline. */
export const eventOfOffer = {
  Invalid: 'invalidated',
  Active: null,
  Accepted: 'accepted',
  Countered: 'declined',
  Expired: 'expired',
  Canceled: 'cancelled',
  Declined: 'declined',
  InvalidItems: 'invalidated',
  CreatedNeedsConfirmation: null,
  CanceledBySecondFactor: 'cancelled',
  InEscrow: 'escrowed',
} as const satisfies Record<SteamOfferState, TransferEvent | null>;
