import { type Asset, haveSameKeys, steamIdOf } from './assets.ts';
import { readStatus } from './read-status.ts';

/** An offer as a page of Steam shows it. */
export interface ShownOffer {
  offerId: string;
  /** The SteamID64 of whoever is signed in to Steam. */
  me: string;
  partner: string;
  partnerName: string;
  /** The message of its sender, which holds the security code of ours. */
  note: string;
  give: readonly Asset[];
  receive: readonly Asset[];
  /** False where the page names items by their class alone. */
  hasIds: boolean;
}

/** The result of two independent readings of a page. */
export type Reading =
  /** Both agree. */
  | { is: 'whole'; offer: ShownOffer }
  /** The page has not filled its slots yet. */
  | { is: 'filling'; offer: ShownOffer }
  /** The page is not, or no longer, what it was when it was loaded. */
  | { is: 'changed'; offer: ShownOffer }
  /** Nothing is offered any more. */
  | { is: 'over' }
  /** A form that is not known. */
  | { is: 'odd' };

/** The number of the offer that the page's address names; null for other pages. */
export const offerIdOf = (pathname: string): string | null =>
  /^\/tradeoffer\/(\d{1,20})\/?$/.exec(pathname)?.[1] ?? null;

/** The keys of the items in the slots of one side; null while one of them is not named yet. */
function slotsOf(page: ParentNode, side: string, box: string): string[] | null | undefined {
  const [slots, ...others] = page.querySelectorAll(`#${box}`);
  const whole = page.querySelectorAll(`#${side} .item`);
  if (slots === undefined || others.length > 0) return undefined;
  const items = [...slots.querySelectorAll('.item')];
  // Money and the like has slots of its own, and is nothing that we ever offer.
  if (whole.length !== items.length) return undefined;
  if (slots.querySelectorAll('.trade_slot.has_item').length !== items.length) return null;
  const keys = items.map(({ id }) => /^item(\d+)_\d+_(\d+)$/.exec(id)?.slice(1).join('/'));
  return keys.every((key) => key !== undefined) ? keys : null;
}

const isHidden = (page: ParentNode, selector: string): boolean =>
  page.querySelector<HTMLElement>(selector)?.style.display === 'none';

/** "Change offer" hides the button itself and the sender's message (economy_tradeoffer.js, `StartCounterOffer`). */
const isBeingChanged = (page: ParentNode): boolean =>
  isHidden(page, '#modify_trade_offer_opts') || isHidden(page, '#tradeoffer_includedmessage');

const textOf = (page: ParentNode, selector: string): string =>
  (page.querySelector(selector)?.textContent ?? '').replaceAll(/\s+/g, ' ').trim();

/** The texts of the scripts that stand in a page itself. */
export const scriptsOf = (page: ParentNode): string[] =>
  [...page.querySelectorAll('script:not([src])')].map(({ textContent }) => textContent ?? '');

/** Reads the page of an offer twice: from its scripts, and from what it shows. */
export function readOffer(page: ParentNode, pathname: string): Reading {
  const offerId = offerIdOf(pathname);
  const status = readStatus(scriptsOf(page));
  if (!status && page.querySelector('#error_msg')) return { is: 'over' };
  const partner = page.querySelector('.trade_partner_headline [data-miniprofile]');
  if (!status || offerId === null || (status.offerId ?? offerId) !== offerId) return { is: 'odd' };
  if (steamIdOf(partner?.getAttribute('data-miniprofile')) !== status.partner) return { is: 'odd' };
  const notes = page.querySelectorAll('.included_trade_offer_note');
  if (notes.length > 1) return { is: 'odd' };
  const offer: ShownOffer = {
    ...status,
    offerId,
    hasIds: true,
    partnerName: textOf(page, '.trade_partner_headline [data-miniprofile]'),
    note: textOf(page, '.included_trade_offer_note'),
  };
  if (isBeingChanged(page)) return { is: 'changed', offer };
  const give = slotsOf(page, 'trade_yours', 'your_slots');
  const receive = slotsOf(page, 'trade_theirs', 'their_slots');
  if (give === undefined || receive === undefined) return { is: 'odd' };
  if (give === null || receive === null) return { is: 'filling', offer };
  if (give.length + receive.length === 0) return { is: 'filling', offer };
  const keys = (assets: readonly Asset[]) => assets.map(({ key }) => key);
  const agree = haveSameKeys(keys(offer.give), give) && haveSameKeys(keys(offer.receive), receive);
  return { is: agree ? 'whole' : 'changed', offer };
}

/**
 * Reads the same page again and again. What was once whole and then differs is changed, and stays so until the page is
 * loaded anew: an offer that was changed in place is not the one that was sent.
 */
export function followOffer(page: ParentNode, pathname: string): () => Reading {
  let last: Reading | null = null;
  return () => {
    if (last?.is === 'changed') return last;
    const now = readOffer(page, pathname);
    const isSame = now.is === 'whole' && last?.is === 'whole' && JSON.stringify(now) === JSON.stringify(last);
    last = last?.is === 'whole' && !isSame ? { is: 'changed', offer: last.offer } : now;
    return last;
  };
}
