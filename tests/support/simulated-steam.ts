import type { SteamOfferState } from '#domain/transfer/transfer-machine.ts';
import { nextNumber } from '#tests/support/fixtures.ts';

/** The ways in which an offer may end without being accepted. */
export const offerEnds = [
  'Declined',
  'Countered',
  'Expired',
  'Canceled',
  'CanceledBySecondFactor',
  'InvalidItems',
] as const;

export interface SimulatedOffer {
  offerId: string;
  transferId: string;
  state: SteamOfferState;
  /** Asset ids, all of one game, and their holders before and after. */
  assetIds: string[];
  from: string;
  to: string;
  /** The new ids after acceptance, and after a reversal. */
  arrived: Map<string, string>;
  cameBack: Map<string, string> | null;
}

const stands = ({ state }: SimulatedOffer) =>
  ['Active', 'CreatedNeedsConfirmation', 'InEscrow', 'Accepted'].includes(state);

/** A minimal Steam for property tests: it knows which assets and offers exist, and allows whatever is possible. */
export class SimulatedSteam {
  readonly holders = new Map<string, string>();
  readonly offers: SimulatedOffer[] = [];
  /** Transfers with a second offer while another one was open. */
  readonly sentTwice: string[] = [];
  readonly #vanished = new Map<string, string>();

  give(holder: string): string {
    const assetId = String(500_000 + nextNumber());
    this.holders.set(assetId, holder);
    return assetId;
  }

  /** Creates an offer; null when the assets are not with their giver. */
  send(transferId: string, assetIds: string[], from: string, to: string, confirmed: boolean) {
    if (this.offers.some((offer) => offer.transferId === transferId && stands(offer)))
      this.sentTwice.push(transferId);
    if (assetIds.some((id) => this.holders.get(id) !== from)) return null;
    const state = confirmed ? 'Active' : 'CreatedNeedsConfirmation';
    const offerId = `offer-${nextNumber()}`;
    const offer = {
      offerId,
      transferId,
      state,
      assetIds,
      from,
      to,
      arrived: new Map(),
      cameBack: null,
    } as const;
    this.offers.push({ ...offer, assetIds: [...assetIds] });
    return this.offers.at(-1) ?? null;
  }

  /** The receiver accepts: every asset gets a new id; an offer with missing assets becomes invalid. */
  accept(offer: SimulatedOffer): void {
    if (offer.assetIds.some((id) => this.holders.get(id) !== offer.from)) offer.state = 'InvalidItems';
    else {
      offer.state = 'Accepted';
      offer.arrived = this.#move(offer.assetIds, offer.to);
    }
  }

  /** Trade Protection: traded assets go back, with new ids again. */
  reverse(offer: SimulatedOffer): void {
    offer.cameBack = this.#move([...offer.arrived.values()], offer.from);
  }

  /** Hides an asset, or shows it again. */
  hide(assetId: string): void {
    const holder = this.holders.get(assetId);
    if (holder && this.holders.delete(assetId)) this.#vanished.set(assetId, holder);
  }
  showAll(): void {
    for (const [assetId, holder] of this.#vanished) this.holders.set(assetId, holder);
    this.#vanished.clear();
  }

  inventory(holder: string): string[] {
    return [...this.holders].filter(([, each]) => each === holder).map(([assetId]) => assetId);
  }

  #move(assetIds: string[], to: string): Map<string, string> {
    const moved = new Map<string, string>();
    for (const assetId of assetIds) {
      this.holders.delete(assetId);
      this.#vanished.delete(assetId);
      moved.set(assetId, this.give(to));
    }
    return moved;
  }
}
