import { eq, sql } from 'drizzle-orm';
import type { Tx } from '#db/database.ts';
import { transferSteps, transfers } from '#db/schema/transfer.ts';
import { statement } from '#db/statement.ts';
import { insertInto, moveIn } from '#db/write.ts';
import { newId } from '#domain/id.ts';
import { announce } from '#domain/outbox/announce.ts';
import { day } from '#domain/time.ts';
import { type MovedAsset, transferEffects } from '#domain/transfer/transfer-effects.ts';
import { type TransferEvent, transferMachine } from '#domain/transfer/transfer-machine.ts';

type Transfer = typeof transfers.$inferSelect;

/** What the bot learned together with the event. */
export interface TransferChange {
  event: TransferEvent;
  offerId?: string;
  tradeId?: string;
  /** A code of ours, never Steam's own text. */
  error?: string;
  /** When a deferred sending is tried again. */
  runAtMs?: number;
  /** With `accepted` and `reversed`: the assets under their new ids. */
  moved?: readonly MovedAsset[];
  /** With `accepted`: until when the trade can be reversed; absent when it cannot. */
  settlesAtMs?: number;
}

const readTransfer = statement('transfer_whole', (tx) =>
  tx
    .select()
    .from(transfers)
    .where(eq(transfers.id, sql.placeholder('id'))),
);
const moveTransfer = moveIn(transfers, 'transfer');
const insertStep = insertInto(transferSteps, 'transfer_step');

/** Steam keeps an offer for 14 days. */
const OFFER_LIFE_MS = 14 * day;
/** An offer that nobody answered is taken back; a claim's claim-until may move that later. */
const PATIENCE_MS = { claim: day, deposit: 3 * day, return: 3 * day } as const;

/**
 * The only writer of a transfer's state. One transaction moves the transfer, its items and its reward together, with
 * ledger entries, a step of the timeline and news for the pages. False when the event may not happen in the state the
 * transfer is in now: it was told already, or something else came first.
 */
export async function advanceTransfer(
  tx: Tx,
  transferId: string,
  news: TransferChange,
  nowMs: number,
): Promise<boolean> {
  const [transfer] = await readTransfer(tx, { id: transferId });
  const state = transfer && transferMachine.next(transfer.state, news.event);
  if (!transfer || !state) return false;
  const patch = { ...facts(news), ...released(news), ...dates(transfer, news, nowMs), state };
  if (!(await moveTransfer(tx, transfer, patch))) return false;
  await insertStep(tx, {
    id: newId(nowMs),
    transferId,
    state,
    event: news.event,
    detail: news.error ?? reasonAskedFor(transfer, news),
    atMs: nowMs,
  });
  await transferEffects[state](tx, transfer, news.moved ?? [], nowMs);
  await announce(tx, [{ userId: transfer.userId, kind: 'transfer.changed', subjectId: transferId }], nowMs);
  return true;
}

/** Why it was asked back, when that is how it ends. */
const reasonAskedFor = ({ cancelWanted, lastError }: Transfer, { event }: TransferChange): string | null =>
  cancelWanted && (event === 'cancelled' || event === 'withdrawn') ? lastError : null;

function facts(news: TransferChange): Partial<Transfer> {
  return {
    ...(news.offerId && { offerId: news.offerId }),
    ...(news.tradeId && { tradeId: news.tradeId }),
    ...(news.error && { lastError: news.error }),
    ...(news.runAtMs !== undefined && { runAtMs: news.runAtMs }),
  };
}

/** Whatever happened, the sending that held the lease is over; a new doubt counts its polls from zero. */
function released(news: TransferChange): Partial<Transfer> {
  if (news.event === 'started') return {};
  return { leaseHolder: null, leaseUntilMs: 0, ...(news.event === 'answerLost' && { cleanPolls: 0 }) };
}

function dates(transfer: Transfer, news: TransferChange, nowMs: number): Partial<Transfer> {
  const onSteam =
    ['created', 'sent', 'foundUnconfirmed', 'foundSent'].includes(news.event) && !transfer.sentAtMs;
  if (onSteam) {
    const patience = nowMs + PATIENCE_MS[transfer.kind];
    const cancelAtMs = Math.max(patience, transfer.cancelAtMs ?? 0);
    return { sentAtMs: nowMs, expiresAtMs: nowMs + OFFER_LIFE_MS, cancelAtMs };
  }
  if (news.event === 'accepted') return { acceptedAtMs: nowMs, settlesAtMs: news.settlesAtMs ?? nowMs };
  return {};
}
