import type { SentOffer, SteamAccount } from '#bot/steam/steam-account.ts';
import type { NextDue } from '#bot/worker.ts';
import { minute } from '#domain/time.ts';
import { type BotTransfer, listBotTransfers } from '#domain/transfer/list-bot-transfers.ts';
import { markLostSendingsUncertain } from '#domain/transfer/mark-lost-sendings-uncertain.ts';
import { nextSendingEndMs } from '#domain/transfer/next-transfer-due.ts';
import { reportAbsence } from '#domain/transfer/report-absence.ts';
import type { SteamOfferState } from '#domain/transfer/transfer-machine.ts';
import { applyOffer } from './apply-offer.ts';
import type { TransferWork } from './transfer-work.ts';

/** Steam sometimes backdates an offer. */
const BACKDATING_MS = 30 * minute;

/** If there are ever two matching offers, the one that went furthest is the transfer's. */
const precedence: Partial<Record<SteamOfferState, number>> = {
  Accepted: 4,
  InEscrow: 3,
  Active: 2,
  CreatedNeedsConfirmation: 1,
};

/**
 * Returns a worker's round that looks for offers whose sending got no answer. An offer with our code, the partner and
 * exactly the assets is adopted. If there is none, two complete polls with a pause between them, and the assets still
 * in place, prove that it does not exist; only then may it be sent again.
 */
export function resolveUncertain(work: TransferWork): () => Promise<NextDue> {
  /** When this process last polled for a transfer without finding it. */
  const polledAtMs = new Map<string, number>();
  return async () => {
    const { database, clock } = work.deps;
    const owner = { botId: work.botId, livingHolder: work.holder };
    const account = work.account();
    if (!account) return null;
    await markLostSendingsUncertain(database, owner, clock.now(), Date.now());
    const uncertain = await listBotTransfers(database.read, { botId: work.botId, states: ['uncertain'] });
    for (const id of polledAtMs.keys())
      if (!uncertain.some((transfer) => transfer.id === id)) polledAtMs.delete(id);
    if (uncertain.length === 0) return nextSendingEndMs(database.read, owner, Date.now());
    const since = Math.min(...uncertain.map(({ createdAtMs }) => createdAtMs)) - BACKDATING_MS;
    const offers = await account.offersSince(since);
    if (!offers.ok) {
      work.deps.log.warn({ bot: work.botId, ...offers }, 'the sent offers cannot be read');
      return 0;
    }
    for (const transfer of uncertain) {
      const found = offerOf(transfer, offers.value);
      if (found) await adopt(work, account, transfer, found);
      else await countAbsence(work, account, transfer, polledAtMs);
    }
    return 0;
  };
}

function offerOf(transfer: BotTransfer, offers: readonly SentOffer[]): SentOffer | null {
  const matching = offers.filter((offer) => isOfferOf(transfer, offer));
  return matching.sort((a, b) => (precedence[b.state] ?? 0) - (precedence[a.state] ?? 0))[0] ?? null;
}

/**
 * Requires code, partner and exact assets: anyone could put the code into an offer of their own, but not match all
 * three.
 */
export function isOfferOf(transfer: BotTransfer, offer: SentOffer): boolean {
  const [ours, theirs] = transfer.kind === 'deposit' ? [[], transfer.assets] : [transfer.assets, []];
  return (
    offer.message.includes(transfer.securityCode) &&
    offer.partnerSteamId === transfer.partnerSteamId &&
    isSame(offer.give, ours) &&
    isSame(offer.receive, theirs)
  );
}

type Named = { appId: number; assetId: string };
const isSame = (a: readonly Named[], b: readonly Named[]) =>
  a.length === b.length &&
  a.every(({ appId, assetId }) => b.some((other) => other.appId === appId && other.assetId === assetId));

async function adopt(work: TransferWork, account: SteamAccount, transfer: BotTransfer, offer: SentOffer) {
  work.deps.log.info({ transfer: transfer.id, offer: offer.offerId }, 'uncertain offer found');
  if (await applyOffer(work, account, transfer, offer)) work.nudge();
}

async function countAbsence(
  work: TransferWork,
  account: SteamAccount,
  transfer: BotTransfer,
  polledAtMs: Map<string, number>,
): Promise<void> {
  const { database, clock, log } = work.deps;
  const lastMs = polledAtMs.get(transfer.id);
  // Another process polled before at an unknown time, so the pause starts now.
  if (lastMs === undefined && transfer.cleanPolls > 0) polledAtMs.set(transfer.id, Date.now());
  if (lastMs === undefined ? transfer.cleanPolls > 0 : Date.now() - lastMs < work.pace.absenceMs) return;
  if (transfer.kind !== 'deposit') {
    const located = await work.inventory.locate(account, transfer.assets);
    if (!located.ok) {
      log.warn(
        { transfer: transfer.id, ...located },
        'the uncertain offer was not found, but neither were its assets',
      );
      return;
    }
  }
  polledAtMs.set(transfer.id, Date.now());
  if (await reportAbsence(database, transfer.id, clock.now())) {
    log.info({ transfer: transfer.id }, 'uncertain offer does not exist; queued again');
    work.nudge();
  }
}
