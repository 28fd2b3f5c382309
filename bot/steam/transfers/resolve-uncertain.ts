import type { SentOffer, SteamAccount } from '#bot/steam/steam-account.ts';
import type { NextDue } from '#bot/worker.ts';
import { minute } from '#domain/kernel/time.ts';
import { type BotTransfer, listBotTransfers } from '#domain/transfer/list-bot-transfers.ts';
import { listKnownOffers } from '#domain/transfer/list-known-offers.ts';
import { markLostSendingsUncertain } from '#domain/transfer/mark-lost-sendings-uncertain.ts';
import { nextSendingEndMs } from '#domain/transfer/next-transfer-due.ts';
import { reportAbsence } from '#domain/transfer/report-absence.ts';
import { applyOffer } from './apply-offer.ts';
import { isDoubted } from './doubts.ts';
import { doubtAbout, findHidden, type Listed, pageFor } from './find-hidden.ts';
import { isWithoutTrade } from './find-trade.ts';
import { isUntouched } from './is-untouched.ts';
import { couldBeOurs, holds, isOpen, offersOf } from './own-offers.ts';
import { Polls } from './polls.ts';
import { searchFromMs, type TransferWork } from './transfer-work.ts';

/** Steam sometimes backdates an offer. */
const BACKDATING_MS = 30 * minute;

/**
 * Returns a worker's round that searches for offers whose sending got no answer. An offer with our code to
 * the partner is adopted, whether or not Steam lists its items; any second one is cancelled. If there is
 * none, two complete polls with a pause between them, and the assets still in place, prove that it does not
 * exist; only then may it be sent again. The pause is shorter for one that gives something and that another process was
 * sending when it ended, because what that may have asked of Steam is over sooner. If no other open offers of its games show that the list is complete, the
 * history must also show no trade of these assets with this partner, and the page of sent offers no such offer.
 */
export function resolveUncertain(work: TransferWork): () => Promise<NextDue> {
  const polls = new Polls(work.pace);
  /** Transfers that were uncertain in the last round. */
  let lastIds: readonly string[] = [];
  return async () => {
    const { db, clock } = work.deps;
    const owner = { botId: work.botId, livingHolder: work.holder };
    const account = work.account();
    if (!account) return null;
    const { sendingId } = work.delivery;
    const lost = await markLostSendingsUncertain(db, { ...owner, sendingId }, clock.now(), Date.now());
    const uncertain = await listBotTransfers(db.read, { botId: work.botId, states: ['uncertain'] });
    const ids = uncertain.map(({ id }) => id);
    for (const transfer of uncertain) if (lost.includes(transfer.id)) polls.wasInterrupted(transfer);
    polls.clearOthers(uncertain);
    for (const id of lastIds.filter((last) => !ids.includes(last))) endWaits(work, id);
    lastIds = ids;
    if (uncertain.length === 0) return nextSendingEndMs(db.read, owner, Date.now());
    const fromMs = uncertain.map(({ createdAtMs }) => searchFromMs(work, account, createdAtMs));
    const sinceMs = Math.min(...fromMs) - BACKDATING_MS;
    const answer = await account.offersSince(sinceMs);
    if (!answer.ok) {
      work.deps.log.warn({ bot: work.botId, ...answer }, 'the sent offers cannot be read');
      return 0;
    }
    const list = { ...answer.value, sinceMs };
    const isClear = await accountsForAll(work, list);
    const canaries = await findCanaries(work, account, list);
    for (const transfer of uncertain) {
      const found = offersOf(transfer, list.offers);
      const page = { list, pauseMs: polls.pauseMs(transfer) };
      if (found.length > 0) await adopt(work, account, transfer, found);
      else if (canaries === 'missing') await adoptHidden(work, account, transfer, page);
      else {
        const isShown = transfer.assets.every(({ appId }) => canaries.has(appId));
        const isTrusted = isShown && !(await isDoubted(work, 'list', transfer));
        await countAbsence(work, account, { transfer, page, isClear, isTrusted }, polls);
      }
    }
    return polls.nextMs(uncertain);
  };
}

function endWaits({ patience }: TransferWork, transferId: string): void {
  patience.end(doubtAbout(transferId));
  patience.end(pageFor(transferId));
}

/**
 * Returns the games of which the list shows an offer that is known to be open; if it leaves one out, it proves nothing
 * absent. Steam sometimes leaves out all open offers of a game, so one of several games, or that has ended, tells
 * nothing. An offer that ended a moment ago may be missing, so it is asked for by its id.
 */
async function findCanaries(
  work: TransferWork,
  account: SteamAccount,
  { offers }: Listed,
): Promise<ReadonlySet<number> | 'missing'> {
  const { deps, botId } = work;
  const listed = new Map(offers.map((offer) => [offer.offerId, offer]));
  const shown = new Set<number>();
  const open = await listBotTransfers(deps.db.read, { botId, states: ['unconfirmed', 'sent'] });
  for (const transfer of open) {
    const { id, offerId, assets } = transfer;
    if (!offerId) continue;
    const row = listed.get(offerId);
    const [game, ...others] = new Set(assets.map(({ appId }) => appId));
    if (row && isOpen(row) && game !== undefined && others.length === 0) shown.add(game);
    if (row) continue;
    const offer = await account.offer(offerId);
    if (offer.ok && !isOpen(offer.value) && !(await isDoubted(work, 'offer', transfer))) continue;
    deps.log.warn({ transfer: id, offer: offerId }, 'Steam does not list an offer that is open; waiting');
    return 'missing';
  }
  return shown;
}

/**
 * Returns whether every recent offer that could be ours is known to be another transfer's. One that is not may be the
 * missing one.
 */
async function accountsForAll(work: TransferWork, list: Listed): Promise<boolean> {
  if (list.unreadable > 0) return false;
  const doubtful = list.offers.filter((offer) => couldBeOurs(offer, list.sinceMs));
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

/** Adopts a transfer's offer that only the page of sent offers shows. Returns true if that page shows none. */
async function adoptHidden(
  work: TransferWork,
  account: SteamAccount,
  transfer: BotTransfer,
  page: Page,
): Promise<boolean> {
  const hidden = await findHidden(work, account, transfer, page);
  if (hidden && hidden.length > 0) await adopt(work, account, transfer, hidden);
  return hidden?.length === 0;
}

/** The list of sent offers, and how long it is until the page of them is read next. */
type Page = Parameters<typeof findHidden>[3];

/** An uncertain transfer and the list that does not show its offer. */
interface Look {
  transfer: BotTransfer;
  page: Page;
  /** The list says of each offer whose it is. */
  isClear: boolean;
  /** The list shows offers of all its games that are known to be open, and is not doubted. */
  isTrusted: boolean;
}

async function countAbsence(
  work: TransferWork,
  account: SteamAccount,
  { transfer, page, isClear, isTrusted }: Look,
  polls: Polls,
): Promise<void> {
  const { db, clock, log } = work.deps;
  // Another process polled before, at an unknown time, so the pause starts now.
  if (transfer.cleanPolls > 0 && !polls.isPolled(transfer)) return polls.begin(transfer);
  if (polls.leftMs(transfer) > 0) return;
  const doubt = doubtAbout(transfer.id);
  if (!isClear && !work.patience.isOver(doubt, work.pace.doubtMs)) {
    log.warn({ transfer: transfer.id }, 'Steam lists offers without saying whose they are; waiting');
    return;
  }
  // An asset moves only once: while it is in its old place, an offer that Steam hides has moved nothing.
  if (!(await isUntouched(work, account, transfer, { mustSee: !isClear }))) return;
  if (!isTrusted && !(await isWithoutTrade(work, account, transfer))) {
    log.warn(
      { transfer: transfer.id },
      'the history does not say that an uncertain offer was not accepted; waiting',
    );
    return;
  }
  if (!isTrusted && !(await adoptHidden(work, account, transfer, page))) return;
  polls.begin(transfer);
  if (await reportAbsence(db, transfer.id, clock.now(), polls.pauseMs(transfer))) {
    endWaits(work, transfer.id);
    log.info({ transfer: transfer.id }, 'uncertain offer does not exist; queued again');
    work.nudge();
  }
}
