import type { SteamAccount, TradeReport } from '#bot/steam/steam-account.ts';
import { type NextDue, soonest } from '#bot/worker.ts';
import { day, hour } from '#domain/kernel/time.ts';
import {
  type AcceptedTrade,
  findBotTransfer,
  listAcceptedTrades,
} from '#domain/transfer/list-bot-transfers.ts';
import { recordTrade } from '#domain/transfer/record-trade.ts';
import { recordUnclear } from '#domain/transfer/record-unclear.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { steadyMs } from '#platform/steady-time.ts';
import { isForeignOffer } from './own-offers.ts';
import { reportReversal } from './reversals.ts';
import { surelyAheadMs, type TransferWork } from './transfer-work.ts';

/** A trade past its settlement time is read at this interval until Steam confirms it as final. */
const DUE_RETRY_MS = 30_000;
/** At most this many trades are read one by one; if there are more, the history is read page by page. */
const MAX_SINGLE_TRADES = 10;
/** Steam allows 100,000 calls a day; this share is for watching trades, so that a long history is read less often. */
const MAX_PAGES_PER_DAY = 6000;

/**
 * Returns a worker's round that watches accepted trades until they can no longer be reversed. Steam does not
 * announce a reversal and the offer stays accepted, so the trades themselves are read: a few one by one, many
 * by the pages of the history. A trade that should be final is read by itself.
 */
export function settleTrades(work: TransferWork): (signal: AbortSignal) => Promise<NextDue> {
  const checkedAtMs = new Map<string, number>();
  const history = watchHistory(work);
  /**
   * Milliseconds until a trade is next read by itself: rarely at first, more often once it should be final.
   */
  const nextCheckInMs = ({ id, settlesAtMs }: AcceptedTrade): number => {
    const agoMs = steadyMs() - (checkedAtMs.get(id) ?? Number.NEGATIVE_INFINITY);
    const untilDueMs = (settlesAtMs ?? 0) - work.deps.clock.now();
    const whenDueMs = Math.max(untilDueMs, Math.min(DUE_RETRY_MS, work.pace.settleMs) - agoMs);
    return Math.min(history.patienceMs() - agoMs, whenDueMs);
  };
  return async (signal) => {
    const account = work.account();
    if (!account) return null;
    const accepted = await listAcceptedTrades(work.deps.db.read, { botId: work.botId });
    const ids = new Set(accepted.map(({ id }) => id));
    for (const id of checkedAtMs.keys()) if (!ids.has(id)) checkedAtMs.delete(id);
    const nextReadInMs = await history.read(account, accepted, async (trade, report) => {
      checkedAtMs.set(trade.id, steadyMs());
      await check(work, account, trade, report);
    });
    for (const trade of accepted) {
      if (signal.aborted) return null;
      if (nextCheckInMs(trade) > 0) continue;
      checkedAtMs.set(trade.id, steadyMs());
      const tradeId = trade.tradeId ?? (await findTrade(work, account, trade));
      const report = tradeId && (await reportOf(work, account, trade.id, tradeId));
      if (report) await check(work, account, { ...trade, tradeId }, report);
    }
    // Spreading thousands of numbers into one call would overflow the stack.
    return accepted.reduce((next, trade) => soonest(next, nextCheckInMs(trade)), nextReadInMs);
  };
}

/** Reads all watched trades from the history, as often as its length allows. */
function watchHistory(work: TransferWork) {
  let readAtMs = Number.NEGATIVE_INFINITY;
  let pauseMs = work.pace.settleMs;
  let isMany = false;
  return {
    /** A trade may go without having been read for this long. */
    patienceMs: () => (isMany ? 2 * pauseMs : work.pace.settleMs),
    /** Returns milliseconds until the next reading; null if there are few trades. */
    async read(
      account: SteamAccount,
      accepted: readonly AcceptedTrade[],
      found: (trade: AcceptedTrade, report: TradeReport) => Promise<void>,
    ): Promise<NextDue> {
      isMany = accepted.length > MAX_SINGLE_TRADES;
      if (!isMany) return null;
      const untilMs = readAtMs + pauseMs - steadyMs();
      if (untilMs > 0) return untilMs;
      readAtMs = steadyMs();
      const oldestMs = accepted.reduce((ms, { sentAtMs }) => Math.min(ms, sentAtMs ?? 0), Number.MAX_VALUE);
      const answer = await account.tradesSince(oldestMs + surelyAheadMs(account) - hour);
      if (!answer.ok) {
        work.deps.log.warn({ bot: work.botId, ...answer }, 'the trade history cannot be read now');
        return pauseMs;
      }
      const { trades, pages } = answer.value;
      pauseMs = Math.max(work.pace.settleMs, (pages * day) / MAX_PAGES_PER_DAY);
      for (const trade of accepted) {
        const report = trades.get(trade.tradeId ?? '');
        if (report) await found(trade, report);
      }
      return pauseMs;
    },
  };
}

/**
 * Finds the trade of a transfer that the operator recorded as accepted, by its offer; null if it is not
 * known.
 */
async function findTrade(
  work: TransferWork,
  account: SteamAccount,
  { id }: AcceptedTrade,
): Promise<string | null> {
  const { db, log } = work.deps;
  const transfer = await findBotTransfer(db.read, id);
  if (!transfer?.offerId) return null;
  const offer = await account.offer(transfer.offerId);
  if (!offer.ok) {
    log.debug({ transfer: id, ...offer }, 'the offer of an accepted transfer cannot be read now');
    return null;
  }
  const { state, tradeId } = offer.value;
  if (state !== 'Accepted' || !tradeId || isForeignOffer(transfer, offer.value)) return null;
  await recordTrade(db, { transferId: id, tradeId });
  return tradeId;
}

async function reportOf(
  work: TransferWork,
  account: SteamAccount,
  id: string,
  tradeId: string,
): Promise<TradeReport | null> {
  const answer = await account.getTrade(tradeId);
  if (answer.ok) return answer.value;
  work.deps.log.debug({ transfer: id, ...answer }, 'the trade cannot be read now');
  return null;
}

/** Records the outcome of a trade. A trade that cannot be recorded does not keep those after it waiting. */
async function check(
  work: TransferWork,
  account: SteamAccount,
  trade: AcceptedTrade,
  report: TradeReport,
): Promise<void> {
  try {
    await book(work, account, trade, report);
  } catch (error) {
    work.deps.log.error({ err: error, transfer: trade.id }, 'what became of a trade was not booked');
  }
}

async function book(
  work: TransferWork,
  account: SteamAccount,
  trade: AcceptedTrade,
  { standing, settlesAtMs = 0 }: TradeReport,
): Promise<void> {
  const { db, clock } = work.deps;
  const { id, tradeId, settlesAtMs: dueAtMs } = trade;
  const inPart = standing === 'reversedInPart';
  if (inPart || standing === 'reversed' || standing === 'rolledBack') {
    const transfer = await findBotTransfer(db.read, id);
    if (!transfer || !tradeId) return;
    if (!(await reportReversal(work, account, transfer, { tradeId, inPart }))) {
      await recordUnclear(db, { transfer, unclear: 'reversalUnclear' }, clock.now());
      return;
    }
  } else await recordUnclear(db, { transfer: trade, unclear: null }, clock.now());
  // A trade whose reversal affected none of our assets is settled like any other.
  const nowMs = clock.now() + surelyAheadMs(account);
  const isFinal = (standing === 'complete' || inPart) && nowMs >= Math.max(settlesAtMs, dueAtMs ?? 0);
  if (isFinal) await reportTransfer(db, id, { event: 'settled' }, clock.now());
}
