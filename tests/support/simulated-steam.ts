import type { SteamOfferState } from '#domain/transfer/transfer-machine.ts';
import { nextNumber } from '#tests/support/fixtures.ts';

export interface SimulatedOffer {
  offerId: string;
  transferId: string;
  state: SteamOfferState;
  /** Asset ids, all of one game, and whose they are before and after. */
  assetIds: string[];
  from: string;
  to: string;
  /** Under which ids they arrived, once accepted, and under which they came back, once reversed. */
  arrived: Map<string, string>;
  cameBack: Map<string, string> | null;
}

const stands = ({ state }: SimulatedOffer) =>
  ['Active', 'CreatedNeedsConfirmation', 'InEscrow', 'Accepted'].includes(state);

/** A little Steam for property tests: who holds which asset, and which offers exist. It says yes to whatever is possible. */
export class SimulatedSteam {
  readonly holders = new Map<string, string>();
  readonly offers: SimulatedOffer[] = [];
  /** Transfers for which an offer was made while another one stood. */
  readonly sentTwice: string[] = [];
  readonly #vanished = new Map<string, string>();

  give(holder: string): string {
    const assetId = String(500_000 + nextNumber());
    this.holders.set(assetId, holder);
    return assetId;
  }

  /** Makes an offer; null when the assets are not where they should be. */
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

  /** The receiver accepts: every asset moves under a new id; an offer whose assets are elsewhere by now is void. */
  accept(offer: SimulatedOffer): void {
    if (offer.assetIds.some((id) => this.holders.get(id) !== offer.from)) offer.state = 'InvalidItems';
    else {
      offer.state = 'Accepted';
      offer.arrived = this.#move(offer.assetIds, offer.to);
    }
  }

  /** Trade Protection: what was traded goes back, again under new ids. */
  reverse(offer: SimulatedOffer): void {
    offer.cameBack = this.#move([...offer.arrived.values()], offer.from);
  }

  /** An asset is nowhere to be seen, or comes to light again. */
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
