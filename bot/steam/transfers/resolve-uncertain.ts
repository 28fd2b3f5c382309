import type { SentOffer, SentOfferList, SteamAccount } from '#bot/steam/steam-account.ts';
import type { NextDue } from '#bot/worker.ts';
import { minute } from '#domain/kernel/time.ts';
import { type BotTransfer, listBotTransfers } from '#domain/transfer/list-bot-transfers.ts';
import { listKnownOffers } from '#domain/transfer/list-known-offers.ts';
import { markLostSendingsUncertain } from '#domain/transfer/mark-lost-sendings-uncertain.ts';
import { nextSendingEndMs } from '#domain/transfer/next-transfer-due.ts';
import { reportAbsence } from '#domain/transfer/report-absence.ts';
import { steadyMs } from '#platform/steady-time.ts';
import { applyOffer } from './apply-offer.ts';
import { isWithoutTrade } from './find-trade.ts';
import { isUntouched } from './is-untouched.ts';
import { couldBeOurs, holds, isOpen, offersOf } from './own-offers.ts';
import { surelyAheadMs, type TransferWork } from './transfer-work.ts';

/** Steam sometimes backdates an offer. */
const BACKDATING_MS = 30 * minute;

/**
 * Returns a worker's round that searches for offers whose sending got no answer. An offer with our code to
 * the partner is adopted, whether or not Steam lists its items; any second one is cancelled. If there is
 * none, two complete polls with a pause between them, and the assets still in place, prove that it does not
 * exist; only then may it be sent again. If no other open offer shows that the list is complete, the history must
 * also show no trade of these assets with this partner.
 */
export function resolveUncertain(work: TransferWork): () => Promise<NextDue> {
  /** Times at which this process last polled for a transfer without finding it. */
  const polledAtMs = new Map<string, number>();
  return async () => {
    const { db, clock } = work.deps;
    const owner = { botId: work.botId, livingHolder: work.holder };
    const account = work.account();
    if (!account) return null;
    await markLostSendingsUncertain(db, owner, clock.now(), Date.now());
    const uncertain = await listBotTransfers(db.read, { botId: work.botId, states: ['uncertain'] });
    for (const id of polledAtMs.keys())
      if (!uncertain.some((transfer) => transfer.id === id)) polledAtMs.delete(id);
    if (uncertain.length === 0) return nextSendingEndMs(db.read, owner, Date.now());
    const requestedMs = Math.min(...uncertain.map(({ createdAtMs }) => createdAtMs));
    const sinceMs = requestedMs + surelyAheadMs(account) - BACKDATING_MS;
    const list = await account.offersSince(sinceMs);
    if (!list.ok) {
      work.deps.log.warn({ bot: work.botId, ...list }, 'the sent offers cannot be read');
      return 0;
    }
    const isClear = await accountsForAll(work, list.value, sinceMs);
    const canary = await findCanary(work, account, list.value);
    for (const transfer of uncertain) {
      const found = offersOf(transfer, list.value.offers);
      if (found.length > 0) await adopt(work, account, transfer, found);
      else if (canary !== 'missing')
        await countAbsence(work, account, { transfer, isClear, isTrusted: canary === 'shown' }, polledAtMs);
    }
    return 0;
  };
}

/**
 * Returns whether the list shows every offer that is known to be open; if one is missing, it proves nothing absent.
 * Steam sometimes leaves out all offers of a game. One that ended a moment ago may be missing, so it is asked for by
 * its id. With none open, `none`: nothing tells whether the list is whole.
 */
async function findCanary(
  { deps, botId }: TransferWork,
  account: SteamAccount,
  { offers }: SentOfferList,
): Promise<'shown' | 'missing' | 'none'> {
  const listed = new Set(offers.map(({ offerId }) => offerId));
  let found: 'shown' | 'none' = 'none';
  const open = await listBotTransfers(deps.db.read, { botId, states: ['unconfirmed', 'sent'] });
  for (const { id, offerId } of open) {
    if (!offerId) continue;
    if (listed.has(offerId)) {
      found = 'shown';
      continue;
    }
    const offer = await account.offer(offerId);
    if (offer.ok && !isOpen(offer.value)) continue;
    deps.log.warn({ transfer: id, offer: offerId }, 'Steam does not list an offer that is open; waiting');
    return 'missing';
  }
  return found;
}

/**
 * Returns whether every recent offer that could be ours is known to be another transfer's. One that is not may be the
 * missing one.
 */
async function accountsForAll(work: TransferWork, list: SentOfferList, sinceMs: number): Promise<boolean> {
  if (list.unreadable > 0) return false;
  const doubtful = list.offers.filter(
    (offer) => couldBeOurs(offer) && (offer.createdAtMs === null || offer.createdAtMs >= sinceMs),
  );
  const ids = doubtful.map(({ offerId }) => offerId);
  const known = await listKnownOffers(work.deps.db.read, ids);
  return ids.every((offerId) => known.has(offerId));
}

/** Takes the first fitting offer as the transfer's and cancels the others. */
async function adopt(
  work: TransferWork,
  account: SteamAccount,
  transfer: BotTransfer,
  found: readonly SentOffer[],
): Promise<void> {
  const { log } = work.deps;
  const own = found.find((offer) => holds(offer, transfer));
  for (const offer of found) {
    if (offer === own || !isOpen(offer)) continue;
    const { offerId } = offer;
    const { partnerSteamId } = transfer;
    const cancelled = await account.cancelOffer({ offerId, partnerSteamId });
    log.warn({ transfer: transfer.id, offer: offerId, cancelled: cancelled.ok }, 'a second offer was open');
  }
  if (!own) return;
  log.info({ transfer: transfer.id, offer: own.offerId }, 'uncertain offer found');
  if (await applyOffer(work, account, transfer, own)) work.nudge();
}

async function countAbsence(
  work: TransferWork,
  account: SteamAccount,
  { transfer, isClear, isTrusted }: { transfer: BotTransfer; isClear: boolean; isTrusted: boolean },
  polledAtMs: Map<string, number>,
): Promise<void> {
  const { db, clock, log } = work.deps;
  const lastMs = polledAtMs.get(transfer.id);
  if (lastMs === undefined && transfer.cleanPolls > 0) {
    // Another process polled before, at an unknown time, so the pause starts now.
    polledAtMs.set(transfer.id, steadyMs());
    return;
  }
  if (lastMs !== undefined && steadyMs() - lastMs < work.pace.absenceMs) return;
  const doubt = `doubt about ${transfer.id}`;
  if (!isClear && !work.patience.isOver(doubt, work.pace.doubtMs)) {
    log.warn({ transfer: transfer.id }, 'Steam lists offers without saying whose they are; waiting');
    return;
  }
  // An asset moves only once: while it is in its old place, an offer that Steam hides has moved nothing.
  if (!(await isUntouched(work, account, transfer, { mustSee: !isClear }))) return;
  if (!isTrusted && !(await isWithoutTrade(account, transfer))) {
    log.warn(
      { transfer: transfer.id },
      'the history does not say that an uncertain offer was not accepted; waiting',
    );
    return;
  }
  polledAtMs.set(transfer.id, steadyMs());
  if (await reportAbsence(db, transfer.id, clock.now())) {
    work.patience.end(doubt);
    log.info({ transfer: transfer.id }, 'uncertain offer does not exist; queued again');
    work.nudge();
  }
}
