import type { SentOffer, SteamAccount, SteamAnswer } from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';
import { hour } from '#domain/kernel/time.ts';
import type { BotTransfer } from '#domain/transfer/list-bot-transfers.ts';
import { surelyAheadMs, type TransferWork } from './transfer-work.ts';

const LONGEST_PAUSE_MS = hour;

/**
 * Reads a transfer's offer by its id. Steam sometimes gives no offer for one that exists, so the list of sent
 * offers is then asked, after growing pauses.
 */
export async function findOffer(
  work: TransferWork,
  account: SteamAccount,
  transfer: BotTransfer,
  offerId: string,
): Promise<SteamAnswer<SentOffer>> {
  const offer = await account.offer(offerId);
  const search = `offer of ${transfer.id}`;
  if (offer.ok) work.patience.end(search);
  if (offer.ok || offer.code !== 'offerUnknown' || work.patience.isPaused(search)) return offer;
  work.patience.pause(search, { firstMs: work.pace.arrivalRetryMs, longestMs: LONGEST_PAUSE_MS });
  const listed = await account.offersSince(transfer.createdAtMs + surelyAheadMs(account) - hour);
  if (!listed.ok) return listed;
  const found = listed.value.offers.find((each) => each.offerId === offerId);
  return found
    ? { ok: true, value: found }
    : failure('offerUnknown', 'later', `no offer ${offerId} in the list`);
}
