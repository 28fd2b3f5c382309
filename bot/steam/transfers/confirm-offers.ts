import { type NextDue, soonest } from '#bot/worker.ts';
import { listTransfersToConfirm } from '#domain/transfer/list-bot-transfers.ts';
import { steadyMs } from '#platform/steady-time.ts';
import { applyOffer } from './apply-offer.ts';
import { findOffer } from './find-offer.ts';
import { resendUnseen } from './resend-unseen.ts';
import type { TransferWork } from './transfer-work.ts';

const QUICK_RETRIES = 5;
const TOGETHER = 'offers to confirm together';

/**
 * Returns a worker's round that confirms offers waiting for the bot's authenticator, by their ids and
 * together with those that are being sent. Retries are quick at first and slower later, until the offer is
 * confirmed or cancelled.
 */
export function confirmOffers(work: TransferWork): () => Promise<NextDue> {
  const attempts = new Map<string, { failures: number; notBeforeMs: number }>();
  return async () => {
    const account = work.account();
    if (!account) return null;
    const { db, log } = work.deps;
    const waiting = await listTransfersToConfirm(db.read, work);
    for (const id of attempts.keys())
      if (!waiting.some((transfer) => transfer.id === id)) attempts.delete(id);
    const due = waiting.flatMap((transfer) => {
      const isDue = (attempts.get(transfer.id)?.notBeforeMs ?? 0) <= steadyMs();
      return isDue && transfer.offerId ? [{ ...transfer, offerId: transfer.offerId }] : [];
    });
    const nextAttemptMs = () =>
      soonest(...[...attempts.values()].map(({ notBeforeMs }) => notBeforeMs - steadyMs()));
    if (due.length === 0) return nextAttemptMs();
    const { confirmTogetherMs } = work.pace;
    if (work.delivery.isUnderWay && !work.patience.isOver(TOGETHER, confirmTogetherMs))
      return confirmTogetherMs;
    work.patience.end(TOGETHER);
    const answer = await account.confirmOffers(due.map(({ offerId }) => offerId));
    if (!answer.ok) log.warn({ bot: work.botId, ...answer }, 'confirming the offers failed');
    for (const transfer of due) {
      const offer = await findOffer(work, account, transfer, transfer.offerId);
      const changed = offer.ok && (await applyOffer(work, account, transfer, offer.value));
      if (changed) continue;
      // A list that cannot be read says nothing about what is missing in it.
      const isUnseen = answer.ok && offer.ok && offer.value.state === 'CreatedNeedsConfirmation';
      if (isUnseen && (await resendUnseen(work, account, transfer))) continue;
      const failures = (attempts.get(transfer.id)?.failures ?? 0) + 1;
      const pauseMs = work.pace.confirmRetryMs * 2 ** Math.min(failures, QUICK_RETRIES);
      attempts.set(transfer.id, { failures, notBeforeMs: steadyMs() + pauseMs });
      if (failures === QUICK_RETRIES)
        log.error(
          { transfer: transfer.id, offer: transfer.offerId },
          'the offer is still unconfirmed; retrying at the longest interval',
        );
    }
    return nextAttemptMs();
  };
}
