import { type Asset, haveSameKeys, steamIdOf } from './assets.ts';
import { readStatus, type Status } from './read-status.ts';

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

/**
 * The keys of the items in the slots of one side; null while one of them is not named yet. The id of a stack names no game
 * (economy_trade.js, `GetTradeItemStack`), which is then that of the one asset of this number.
 */
function slotsOf(
  page: ParentNode,
  side: string,
  box: string,
  assets: readonly Asset[],
): string[] | null | undefined {
  const [slots, ...others] = page.querySelectorAll(`#${box}`);
  const whole = page.querySelectorAll(`#${side} .item`);
  if (slots === undefined || others.length > 0) return undefined;
  const items = [...slots.querySelectorAll('.item')];
  // Money and the like has slots of its own, and is nothing that we ever offer.
  if (whole.length !== items.length) return undefined;
  if (slots.querySelectorAll('.trade_slot.has_item').length !== items.length) return null;
  const keys = items.map(({ id }) => {
    const [, game, single, stack] = /^(?:item(\d+)_\d+_(\d+)|tradestack_(\d+))$/.exec(id) ?? [];
    if (stack === undefined) return single && `${game}/${single}`;
    const [one, another] = assets.filter(({ key }) => key.endsWith(`/${stack}`));
    return one && !another ? one.key : stack;
  });
  return keys.every((key) => key !== undefined) ? keys : null;
}

const isHidden = (page: ParentNode, selector: string): boolean =>
  page.querySelector<HTMLElement>(selector)?.style.display === 'none';

/** "Change offer" hides the button itself and the sender's message (economy_tradeoffer.js, `StartCounterOffer`). */
const isBeingChanged = (page: ParentNode): boolean =>
  isHidden(page, '#modify_trade_offer_opts') || isHidden(page, '#tradeoffer_includedmessage');

export const textOf = (element: Element | null | undefined): string =>
  (element?.textContent ?? '').replaceAll(/\s+/g, ' ').trim();

/** The texts of the scripts that stand in a page itself. */
export const scriptsOf = (page: ParentNode): string[] =>
  [...page.querySelectorAll('script:not([src])')].map(({ textContent }) => textContent ?? '');

let known: { key: string; status: Status | null } | null = null;

/** The status in a page's scripts, which are read anew only when they are others. */
function statusOf(page: ParentNode): Status | null {
  const scripts = scriptsOf(page);
  const key = scripts.join('\0');
  if (known?.key !== key) known = { key, status: readStatus(scripts) };
  return known.status;
}

/**
 * Reads the page of an offer twice: from its scripts, and from what it shows. Empty slots are not filled yet, unless they
 * have been before.
 */
export function readOffer(page: ParentNode, pathname: string, wasFilled = false): Reading {
  const offerId = offerIdOf(pathname);
  const status = statusOf(page);
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
    partnerName: textOf(partner),
    note: textOf(notes[0]),
  };
  if (isBeingChanged(page)) return { is: 'changed', offer };
  const give = slotsOf(page, 'trade_yours', 'your_slots', offer.give);
  const receive = slotsOf(page, 'trade_theirs', 'their_slots', offer.receive);
  if (give === undefined || receive === undefined) return { is: 'odd' };
  if (give === null || receive === null) return { is: 'filling', offer };
  if (!wasFilled && give.length + receive.length === 0) return { is: 'filling', offer };
  const keys = (assets: readonly Asset[]) => assets.map(({ key }) => key);
  const agree = haveSameKeys(keys(offer.give), give) && haveSameKeys(keys(offer.receive), receive);
  return { is: agree ? 'whole' : 'changed', offer };
}

/** The parts that make an offer what it is. The name is left out: other helpers of the reader write beside it. */
const essence = ({ partnerName, ...offer }: ShownOffer): string => JSON.stringify(offer);

/**
 * Reads the same page again and again. An offer that was changed in place is not the one that was sent, and stays changed
 * until the page is loaded anew; a page that cannot be read for a while is only that.
 */
export function followOffer(page: ParentNode, pathname: string): () => Reading {
  let whole: ShownOffer | null = null;
  let changed: Reading | null = null;
  return () => {
    if (changed) return changed;
    const now = readOffer(page, pathname, whole !== null);
    const isOther = now.is === 'whole' && whole !== null && essence(now.offer) !== essence(whole);
    if (now.is === 'changed' || isOther) {
      changed = { is: 'changed', offer: whole ?? now.offer };
      return changed;
    }
    if (now.is === 'whole') whole ??= now.offer;
    return now;
  };
}
