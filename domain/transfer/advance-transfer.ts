import { eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import {
  preparingTransferStates,
  type TransferState,
  transferSteps,
  transfers,
} from '#db/schema/transfer.ts';
import { statement } from '#db/statement.ts';
import { insertInto, moveIn } from '#db/write.ts';
import { newId } from '#domain/kernel/id.ts';
import { day } from '#domain/kernel/time.ts';
import { announce } from '#domain/outbox/announce.ts';
import { DEPOSIT_ANSWER_MS, OFFER_LIFETIME_MS } from '#domain/transfer/offer-limits.ts';
import { unclearFacts } from '#domain/transfer/record-unclear.ts';
import { type AssetId, type MovedAsset, transferEffects } from '#domain/transfer/transfer-effects.ts';
import type { TransferTx } from '#domain/transfer/transfer-lock.ts';
import { type EventInto, type TransferEvent, transferMachine } from '#domain/transfer/transfer-machine.ts';

type Transfer = typeof transfers.$inferSelect;

const preparing: ReadonlySet<TransferState> = new Set(preparingTransferStates);

/** An event with the facts the bot learned along with it. */
export interface TransferChange<E extends TransferEvent = TransferEvent> {
  event: E;
  offerId?: string;
  tradeId?: string;
  /** One of our own error codes, never Steam's text. */
  error?: string;
  /** Time at which a deferred transfer is retried. */
  runAtMs?: number;
  /** Set for `accepted` and `reversed`: the assets under their new ids. */
  moved?: readonly MovedAsset[];
  /** Set for `reversed`: the assets that a partial reversal left with the trade's receiver. */
  stayed?: readonly AssetId[];
  /** Set for `accepted`: time at which the trade becomes final. Absent if it cannot be reversed. */
  settlesAtMs?: number;
  /** Named as the cause in the timeline and the ledger when the operator decided instead of Steam. */
  by?: 'operator';
}

const readTransfer = statement('transfer_whole', (tx) =>
  tx
    .select()
    .from(transfers)
    .where(eq(transfers.id, sql.placeholder('id'))),
);
const moveTransfer = moveIn(transfers, 'transfer');
const insertStep = insertInto(transferSteps, 'transfer_step');

/** The bot cancels an offer that stays unanswered for this long. A claim's own deadline can extend this. */
const CANCEL_AFTER_MS = { claim: day, deposit: DEPOSIT_ANSWER_MS, return: 3 * day } as const;

type Effects = typeof transferEffects;
/** States whose effects move the reward of a claim. */
type MovingReward = {
  [S in keyof Effects]: Tx extends Parameters<Effects[S]>[0] ? never : S;
}[keyof Effects];
/**
 * Only an event that may lead to one of these states needs the transfer's lock; the events of sending do not.
 */
type TxFor<E extends TransferEvent> = [E & EventInto<MovingReward>] extends [never] ? Tx : TransferTx;

/**
 * Moves a transfer to its next state; the only writer of `transfers.state`. Updates the transfer, its items
 * and its reward in the caller's transaction, and records ledger entries, a timeline step and live events.
 * Returns false when the machine does not allow the event in the current state: it was already applied, or
 * another event came first.
 */
export async function advanceTransfer<E extends TransferEvent>(
  tx: TxFor<E>,
  transferId: string,
  reported: TransferChange<E>,
  nowMs: number,
): Promise<boolean> {
  const [transfer] = await readTransfer(tx, { id: transferId });
  const state = transfer && transferMachine.next(transfer.state, reported.event);
  if (!transfer || !state) return false;
  const change = withOwnReason(transfer, reported);
  const patch = {
    ...reportedFacts(change),
    ...leaseRelease(change),
    ...deadlines(transfer, change, nowMs),
    ...tokenRemoval(state),
    ...stillUnclear(transfer, change.event, state, nowMs),
    state,
  };
  if (!(await moveTransfer(tx, transfer, patch))) return false;
  await insertStep(tx, {
    id: newId(nowMs),
    transferId,
    state,
    event: change.event,
    detail: change.error ?? change.by ?? withdrawalReason(transfer, change),
    atMs: nowMs,
  });
  // Safe: an event that may have an effect on the reward came with a `TransferTx`.
  const { moved = [], stayed = [], by: cause, error } = change;
  await transferEffects[state](tx as TransferTx, transfer, { moved, stayed, cause, error }, nowMs);
  await announce(tx, [{ userId: transfer.userId, kind: 'transfer.changed', subjectId: transferId }], nowMs);
  return true;
}

/**
 * An offer that is cancelled before its confirmation, although nobody requested that, was never seen by its
 * receiver.
 */
const withOwnReason = ({ state, cancelWanted }: Transfer, change: TransferChange): TransferChange =>
  state === 'unconfirmed' && change.event === 'cancelled' && !cancelWanted && !change.error
    ? { ...change, error: 'notConfirmed' }
    : change;

/** The stored cancellation reason, if this event completes a requested cancellation. */
const withdrawalReason = ({ cancelWanted, lastError }: Transfer, { event }: TransferChange): string | null =>
  cancelWanted && (event === 'cancelled' || event === 'withdrawn') ? lastError : null;

function reportedFacts(change: TransferChange): Partial<Transfer> {
  return {
    ...(change.offerId && { offerId: change.offerId }),
    ...(change.tradeId && { tradeId: change.tradeId }),
    ...(change.error && { lastError: change.error }),
    ...(change.runAtMs !== undefined && { runAtMs: change.runAtMs }),
  };
}

/**
 * Every event except `started` ends the send attempt, so it releases the lease. An event that leads to
 * `uncertain` also resets the count of polls that must prove the offer absent.
 */
function leaseRelease(change: TransferChange): Partial<Transfer> {
  if (change.event === 'started') return {};
  const isDoubt = change.event === 'answerLost' || change.event === 'mistaken';
  return { leaseHolder: null, leaseUntilMs: 0, ...(isDoubt && { cleanPolls: 0 }) };
}

/** Only an offer that may still have to be sent needs the token. */
const tokenRemoval = (state: TransferState): Partial<Transfer> =>
  preparing.has(state) ? {} : { tradeToken: '' };

/**
 * Any step makes clear what was not, except that an offer which is sent again and again for the same reason stays
 * unclear since the first time.
 */
function stillUnclear(
  transfer: Transfer,
  event: TransferEvent,
  state: TransferState,
  nowMs: number,
): Partial<Transfer> {
  const { unclear, unclearSinceMs, sentAtMs } = transfer;
  if (event === 'answerLost') return unclearFacts(transfer, 'sendingUnknown', nowMs);
  if (event === 'unseen')
    return unclearFacts({ unclear, unclearSinceMs: unclearSinceMs ?? sentAtMs }, 'unconfirmed', nowMs);
  const goesOn = unclear === 'unconfirmed' || (unclear === 'sendingUnknown' && state !== 'unconfirmed');
  return unclear === null || (goesOn && preparing.has(state)) ? {} : unclearFacts(transfer, null, nowMs);
}

function deadlines(transfer: Transfer, change: TransferChange, nowMs: number): Partial<Transfer> {
  const onSteam =
    ['created', 'sent', 'foundUnconfirmed', 'foundSent'].includes(change.event) && !transfer.sentAtMs;
  if (onSteam) {
    const cancelAfterMs = nowMs + CANCEL_AFTER_MS[transfer.kind];
    const cancelAtMs = Math.max(cancelAfterMs, transfer.cancelAtMs ?? 0);
    return { sentAtMs: nowMs, expiresAtMs: nowMs + OFFER_LIFETIME_MS, cancelAtMs };
  }
  // The offer that the operator named turned out to be another one.
  if (change.event === 'mistaken' || change.event === 'unseen')
    return { offerId: null, sentAtMs: null, expiresAtMs: null, cancelAtMs: null };
  // The receiver can see the offer only from now on.
  if (change.event === 'confirmed')
    return { cancelAtMs: Math.max(nowMs + CANCEL_AFTER_MS[transfer.kind], transfer.cancelAtMs ?? 0) };
  if (change.event === 'accepted') return { acceptedAtMs: nowMs, settlesAtMs: change.settlesAtMs ?? nowMs };
  return {};
}
