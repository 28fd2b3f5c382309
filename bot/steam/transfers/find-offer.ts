import type { SentOffer, SteamAccount, SteamAnswer } from '#bot/steam/steam-account.ts';
import { failure } from '#bot/steam/steam-failure.ts';
import { hour } from '#domain/kernel/time.ts';
import type { BotTransfer } from '#domain/transfer/list-bot-transfers.ts';
import { recordUnclear } from '#domain/transfer/record-unclear.ts';
import { isDoubted } from './doubts.ts';
import { searchFromMs, type TransferWork } from './transfer-work.ts';

const LONGEST_PAUSE_MS = hour;

/**
 * Reads a transfer's offer by its id. Steam sometimes gives no offer for one that exists, so the list of sent
 * offers is then asked, after growing pauses. While reading by id is doubted, the list has to say the same.
 */
export async function findOffer(
  work: TransferWork,
  account: SteamAccount,
  transfer: BotTransfer,
  offerId: string,
): Promise<SteamAnswer<SentOffer>> {
  const offer = await account.offer(offerId);
  const search = searchOf(transfer);
  const isSure = offer.ok && !(await isDoubted(work, 'offer', transfer));
  if (isSure) work.patience.end(search);
  if (isSure || (!offer.ok && offer.code !== 'offerUnknown')) return offer;
  if (work.patience.isPaused(search)) return offer.ok ? unconfirmed(offerId) : offer;
  work.patience.pause(search, { firstMs: work.pace.arrivalRetryMs, longestMs: LONGEST_PAUSE_MS });
  const listed = await account.offersSince(searchFromMs(work, account, transfer.createdAtMs) - hour);
  if (!listed.ok) return listed;
  const found = listed.value.offers.find((each) => each.offerId === offerId);
  if (!found) {
    const { db, clock } = work.deps;
    await recordUnclear(db, { transfer, unclear: 'offerUnknown' }, clock.now());
    return failure('offerUnknown', 'later', `no offer ${offerId} in the list`);
  }
  if (offer.ok && offer.value.state !== found.state) return unconfirmed(offerId);
  if (offer.ok) work.patience.end(search);
  return { ok: true, value: found };
}

const searchOf = ({ id }: BotTransfer) => `offer of ${id}`;

/** Has the list asked without a pause the next time, because Steam says that the offer has changed. */
export const readListAgain = (work: TransferWork, transfer: BotTransfer): void =>
  work.patience.end(searchOf(transfer));

/** Not `offerUnknown`, so that the offer is read again soon. */
const unconfirmed = (offerId: string) =>
  failure('steamUnavailable', 'later', `the list does not confirm what Steam says of the offer ${offerId}`);
