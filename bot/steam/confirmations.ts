/**
 * A confirmation that waits for an account's authenticator, as steamcommunity lists it; `creator` is the
 * offer, if it is a trade.
 */
export interface Confirmation {
  id: string;
  key: string;
  type: number;
  creator: string | number;
  respond(time: number, key: { tag: string; key: string }, accept: boolean, callback: never): void;
}

/** The type of trades in steamcommunity's `EConfirmationType`. */
const TRADE = 2;

/** Picks the confirmations of these offers. */
export const confirmationsOf = (
  offerIds: readonly string[],
  listed: readonly Confirmation[],
): Confirmation[] =>
  listed.filter(({ type, creator }) => type === TRADE && offerIds.includes(String(creator)));
