import type { SteamAccount } from '#bot/steam/steam-account.ts';
import { type NextDue, soonest } from '#bot/worker.ts';
import { type BotTransfer, listBotTransfers } from '#domain/transfer/list-bot-transfers.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import type { TransferWork } from './transfer-work.ts';

/** Once its time has come, a trade is asked about this often until Steam agrees that it stands. */
const DUE_RETRY_MS = 30_000;

/**
 * Makes a worker's round that watches accepted trades until they can no longer be reversed. Steam tells nobody of a
 * reversal, the offer stays accepted, so the trade itself is asked about.
 */
export function settleTrades(work: TransferWork): (signal: AbortSignal) => Promise<NextDue> {
  const checkedAtMs = new Map<string, number>();
  /** In how many milliseconds a trade is asked about: now and then, and more often from the time when it should stand. */
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
      await checkTrade(work, account, transfer);
    }
    return soonest(...accepted.map(nextCheckInMs));
  };
}

async function checkTrade(work: TransferWork, account: SteamAccount, transfer: BotTransfer): Promise<void> {
  const { database, clock, log } = work.deps;
  const { id, tradeId } = transfer;
  if (!tradeId) return;
  const answer = await account.exchangeOf(tradeId);
  if (!answer.ok) {
    log.debug({ transfer: id, ...answer }, 'the trade cannot be read now');
    return;
  }
  const { standing, settlesAtMs = 0 } = answer.value;
  if (standing === 'reversed') return reportReversal(work, account, transfer, tradeId);
  const settled = standing === 'complete' && clock.now() >= Math.max(settlesAtMs, transfer.settlesAtMs ?? 0);
  if (settled) await reportTransfer(database, id, { event: 'settled' }, clock.now());
}

/** What we gave comes back under new ids; until Steam names them, the reversal waits to be told. */
async function reportReversal(
  work: TransferWork,
  account: SteamAccount,
  transfer: BotTransfer,
  tradeId: string,
): Promise<void> {
  const { database, clock, log } = work.deps;
  const back = await account.reversalOf(tradeId);
  if (!back.ok) return;
  const isWhole = transfer.assets.every(({ appId, newAssetId }) =>
    back.value.some((asset) => asset.appId === appId && asset.assetId === newAssetId),
  );
  if (transfer.kind !== 'deposit' && !isWhole) {
    log.warn({ transfer: transfer.id, tradeId }, 'a reversal does not name its assets yet');
    return;
  }
  log.warn({ transfer: transfer.id, tradeId, kind: transfer.kind }, 'a trade was reversed');
  await reportTransfer(database, transfer.id, { event: 'reversed', moved: back.value }, clock.now());
  work.inventory.clear();
}
