import { and, count, eq } from 'drizzle-orm';
import type { Reader } from '#db/database.ts';
import { type TransferKind, transferKinds, transfers } from '#db/schema/transfer.ts';
import { MAX_OPEN_OFFERS, MAX_OPEN_OFFERS_PER_PARTNER, ownPlaces } from '#domain/transfer/offer-limits.ts';
import { underWay } from '#domain/transfer/under-way.ts';

/**
 * States in which an offer counts among the account's outstanding ones. An offer in escrow was accepted, so
 * it does not count; steam-tradeoffer-manager does not count it either (`cancelOfferCount`). If Steam did, it
 * would refuse the next offer, which is then retried.
 */
export const outstandingStates = ['sending', 'uncertain', 'unconfirmed', 'sent'] as const;

interface OpenOffers {
  kind: TransferKind;
  partnerSteamId: string;
  offers: number;
}

/** Counts a bot's outstanding offers. */
export async function countOpenOffers(q: Reader, botId: string): Promise<CountedOffers> {
  const { kind, partnerSteamId } = transfers;
  const rows = await q
    .select({ kind, partnerSteamId, offers: count() })
    .from(transfers)
    .where(and(eq(transfers.botId, botId), underWay(outstandingStates)))
    .groupBy(kind, partnerSteamId);
  const open = new CountedOffers();
  for (const row of rows) open.add(row);
  return open;
}

/** A bot's outstanding offers, by kind and by partner. */
export class CountedOffers {
  readonly #byKind: Record<TransferKind, number> = { claim: 0, return: 0, deposit: 0 };
  readonly #byPartner = new Map<string, number>();

  add({ kind, partnerSteamId, offers }: OpenOffers): void {
    this.#byKind[kind] += offers;
    this.#byPartner.set(partnerSteamId, (this.#byPartner.get(partnerSteamId) ?? 0) + offers);
  }

  /**
   * Returns whether the account may have one more offer of this kind, in one of the kind's own places or in a
   * shared one.
   */
  hasPlaceForKind(kind: TransferKind): boolean {
    const total = transferKinds.reduce((sum, each) => sum + this.#byKind[each], 0);
    if (total >= MAX_OPEN_OFFERS) return false;
    if (this.#byKind[kind] < ownPlaces[kind]) return true;
    const held = transferKinds.reduce(
      (sum, each) => sum + Math.max(0, ownPlaces[each] - this.#byKind[each]),
      0,
    );
    return total + held < MAX_OPEN_OFFERS;
  }

  /** Number of offers of this kind in shared places. */
  sharedBy = (kind: TransferKind): number => Math.max(0, this.#byKind[kind] - ownPlaces[kind]);

  hasPlaceFor = ({ kind, partnerSteamId }: Omit<OpenOffers, 'offers'>): boolean =>
    this.hasPlaceForKind(kind) && !this.fullPartners().includes(partnerSteamId);

  fullPartners(): string[] {
    return [...this.#byPartner].flatMap(([partner, offers]) =>
      offers >= MAX_OPEN_OFFERS_PER_PARTNER ? [partner] : [],
    );
  }
}
