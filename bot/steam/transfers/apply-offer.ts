import { gameOf, PROTECTED_CONTEXT } from '#bot/steam/games.ts';
import type { SentOffer, SteamAccount, TradeReport } from '#bot/steam/steam-account.ts';
import type { BotTransfer } from '#domain/transfer/list-bot-transfers.ts';
import { LONGEST_PROTECTION_MS } from '#domain/transfer/offer-limits.ts';
import { recordUnclear } from '#domain/transfer/record-unclear.ts';
import { type OfferReport, reportOffer } from '#domain/transfer/report-offer.ts';
import { reportTransfer } from '#domain/transfer/report-transfer.ts';
import { steadyMs } from '#platform/steady-time.ts';
import { readArrivals } from './arrivals.ts';
import { findTrade } from './find-trade.ts';
import { isForeignOffer } from './own-offers.ts';
import type { TransferWork } from './transfer-work.ts';

/**
 * Reports the state of a transfer's offer on Steam to the domain. An accepted deposit is reported together
 * with its assets' new ids, so it waits until they are known. An offer of another transfer, which the
 * operator has named by mistake, is not reported. Returns whether anything changed.
 */
export async function applyOffer(
  work: TransferWork,
  account: SteamAccount,
  transfer: BotTransfer,
  offer: SentOffer,
): Promise<boolean> {
  // Its cancellation is our own and does not end the transfer.
  if (work.resending.has(transfer.id) && offer.state === 'Canceled') return false;
  if (isForeignOffer(transfer, offer)) {
    work.deps.log.error(
      { transfer: transfer.id, offer: offer.offerId },
      'the offer is not the one of this transfer',
    );
    return false;
  }
  const apply = () => applyState(work, account, transfer, offer);
  // Two workers may see two deposits at once, and would take the same new asset for both.
  return transfer.kind === 'deposit' && offer.state === 'Accepted' ? work.bookArrival(apply) : apply();
}

async function applyState(
  work: TransferWork,
  account: SteamAccount,
  transfer: BotTransfer,
  offer: SentOffer,
): Promise<boolean> {
  const { db, clock, log } = work.deps;
  const seenAtMs = steadyMs();
  const report = await reportOf(work, account, transfer, offer);
  if (!report) {
    await recordUnclear(db, { transfer, unclear: 'acceptedUnclear' }, clock.now());
    return false;
  }
  const rolledBack = transfer.state === 'escrowed' && !['Accepted', 'InEscrow'].includes(report.steamState);
  const changed = rolledBack
    ? await reportTransfer(db, transfer.id, { event: 'rolledBack' }, clock.now())
    : await reportOffer(db, transfer.id, report, clock.now());
  if (changed) {
    work.inventory.clear(seenAtMs);
    log.info(
      { transfer: transfer.id, offer: offer.offerId, steamState: report.steamState },
      'the offer changed',
    );
  } else if (transfer.unclear === 'offerUnknown' || transfer.unclear === 'acceptedUnclear')
    await recordUnclear(db, { transfer, unclear: null }, clock.now());
  return changed;
}

async function reportOf(
  work: TransferWork,
  account: SteamAccount,
  transfer: BotTransfer,
  { offerId, state, tradeId }: SentOffer,
): Promise<OfferReport | null> {
  if (state !== 'Accepted' && state !== 'InEscrow') return { offerId, steamState: state };
  const found = await findTrade(work, account, transfer, tradeId);
  // An offer in escrow has moved nothing yet, so a trade that Steam does not name is not missed.
  if (!found) return state === 'InEscrow' && !tradeId ? { offerId, steamState: state } : null;
  const { trade } = found;
  const known = { offerId, ...(found.tradeId !== null && { tradeId: found.tradeId }) };
  if (isUndone(transfer, trade)) return { ...known, steamState: 'Invalid' };
  if (state === 'InEscrow') return { ...known, steamState: state };
  if (trade.standing === 'pending' || trade.standing === 'escrowed') return null;
  const namedMs = settlementOf(work, transfer, trade);
  const arrived =
    transfer.kind === 'deposit' ? await readArrivals(work, account, transfer, trade, namedMs) : trade.moved;
  if (!arrived) return null;
  const settlesAtMs = namedMs ?? (arrived.some(isProtected) ? latestSettlement(work) : undefined);
  return { ...known, steamState: state, moved: arrived, ...(settlesAtMs && { settlesAtMs }) };
}

const isProtected = ({ newContextId }: { newContextId: string }) => newContextId === PROTECTED_CONTEXT;

const latestSettlement = ({ deps }: TransferWork) => deps.clock.now() + LONGEST_PROTECTION_MS;

/**
 * Returns whether the offer was accepted but nothing moved for good: the trade failed or was rolled back, or
 * a deposit was accepted and reversed before we saw it. A claim that was reversed counts as delivered first.
 */
const isUndone = ({ kind }: BotTransfer, { standing }: TradeReport) =>
  standing === 'rolledBack' || (standing === 'reversed' && kind === 'deposit');

/**
 * Returns when the trade becomes final; undefined if it never could be reversed. Of what we gave without being
 * told where it went, that is not known. A deposit is found with us, so where it went is seen.
 */
function settlementOf(
  work: TransferWork,
  { kind, assets }: BotTransfer,
  { settlesAtMs, moved }: TradeReport,
): number | undefined {
  const mayBeReversed = assets.some(({ appId, assetId }) => {
    const arrived = moved.find((each) => each.appId === appId && each.assetId === assetId);
    return gameOf(appId)?.isAlwaysProtected || (arrived ? isProtected(arrived) : kind !== 'deposit');
  });
  return settlesAtMs ?? (mayBeReversed ? latestSettlement(work) : undefined);
}
