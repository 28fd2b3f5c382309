import type { SteamAccount } from '#bot/steam/steam-account.ts';
import { type NextDue, soonest } from '#bot/worker.ts';
import { type BotTransfer, listBotTransfers } from '#domain/transfer/list-bot-transfers.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { reportReversal } from './reversals.ts';
import { surelyAheadMs, type TransferWork } from './transfer-work.ts';

/** How often a trade past its settlement time is read until Steam confirms it as final. */
const DUE_RETRY_MS = 30_000;

/**
 * Returns a worker's round that watches accepted trades until they can no longer be reversed. Steam does not announce a
 * reversal and the offer stays accepted, so the trade itself is read.
 */
export function settleTrades(work: TransferWork): (signal: AbortSignal) => Promise<NextDue> {
  const checkedAtMs = new Map<string, number>();
  /** Milliseconds until a trade is next read: occasionally at first, more often once it should be final. */
  const nextCheckInMs = ({ id, settlesAtMs }: BotTransfer): number => {
    const agoMs = Date.now() - (checkedAtMs.get(id) ?? 0);
    const { settleMs } = work.pace;
    const untilDueMs = (settlesAtMs ?? 0) - work.deps.clock.now();
    return Math.min(settleMs - agoMs, Math.max(untilDueMs, Math.min(DUE_RETRY_MS, settleMs) - agoMs));
  };
  return async (signal) => {
    const account = work.account();
    if (!account) return null;
    const { database } = work.deps;
    const accepted = await listBotTransfers(database.read, { botId: work.botId, states: ['accepted'] });
    for (const id of checkedAtMs.keys())
      if (!accepted.some((transfer) => transfer.id === id)) checkedAtMs.delete(id);
    for (const transfer of accepted) {
      if (signal.aborted) return null;
      if (nextCheckInMs(transfer) > 0) continue;
      checkedAtMs.set(transfer.id, Date.now());
      await checkTrade(work, account, transfer).catch((error) =>
        work.deps.log.error({ err: error, transfer: transfer.id }, 'what became of a trade was not booked'),
      );
    }
    return soonest(...accepted.map(nextCheckInMs));
  };
}

async function checkTrade(work: TransferWork, account: SteamAccount, transfer: BotTransfer): Promise<void> {
  const { database, clock, log } = work.deps;
  const { id, tradeId } = transfer;
  if (!tradeId) return;
  const answer = await account.getTrade(tradeId);
  if (!answer.ok) {
    log.debug({ transfer: id, ...answer }, 'the trade cannot be read now');
    return;
  }
  const { standing, settlesAtMs = 0 } = answer.value;
  const inPart = standing === 'reversedInPart';
  if (inPart || standing === 'reversed' || standing === 'rolledBack') {
    const isReported = await reportReversal(work, account, transfer, { tradeId, inPart });
    if (isReported || !inPart) return;
  }
  // A trade of which nothing of ours was reversed is settled like any other.
  const nowMs = clock.now() + surelyAheadMs(account);
  const isFinal =
    (standing === 'complete' || inPart) && nowMs >= Math.max(settlesAtMs, transfer.settlesAtMs ?? 0);
  if (isFinal) await reportTransfer(database, id, { event: 'settled' }, clock.now());
}
