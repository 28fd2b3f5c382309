import { type Asset, steamIdOf } from './assets.ts';
import { type Reading, type ShownOffer, scriptsOf, textOf } from './read-offer.ts';
import { readOwnAccount } from './read-status.ts';

/** Returns whether an address is that of the offers that somebody received. */
export const isOfferList = (pathname: string): boolean =>
  /^\/(profiles|id)\/[^/]+\/tradeoffers\/?$/.test(pathname);

/** A row of the list of received offers, and what was read in it. */
export interface Row {
  element: Element;
  reading: Reading;
}

interface Side {
  owner: string;
  assets: Asset[];
  hasIds: boolean;
}

/** One side of a row; its owner is named by the picture, and again by each item that has an id. */
function sideOf(box: Element): Side | null {
  const owner = steamIdOf(box.querySelector('.tradeoffer_avatar')?.getAttribute('data-miniprofile'));
  if (owner === null) return null;
  const assets: Asset[] = [];
  let hasIds = true;
  for (const item of box.querySelectorAll('.trade_item')) {
    const named = item.getAttribute('data-economy-item') ?? '';
    const [, game, id, holder] = /^(\d+)\/\d+\/(\d+)\/(\d+)(?:\/a:\d+)?$/.exec(named) ?? [];
    if (holder !== undefined && holder !== owner) return null;
    if (holder === undefined && !named.startsWith('classinfo/')) return null;
    hasIds &&= holder !== undefined;
    assets.push({ key: holder === undefined ? named : `${game}/${id}`, amount: null });
  }
  return { owner, assets, hasIds };
}

function readRow(row: Element, me: string | null): Reading {
  const offerId = /^tradeofferid_(\d{1,20})$/.exec(row.id)?.[1];
  const box = row.querySelector('.tradeoffer_items_ctn');
  if (offerId === undefined || !box || me === null) return { is: 'odd' };
  if (box.classList.contains('inactive') || box.querySelector('.tradeoffer_items_banner'))
    return { is: 'over' };
  const named = row.querySelector('.tradeoffer_partner [data-miniprofile]');
  const partner = steamIdOf(named?.getAttribute('data-miniprofile'));
  const sides = [...box.querySelectorAll('.tradeoffer_items')].map(sideOf);
  const [mine] = sides.filter((side) => side?.owner === me);
  const [theirs] = sides.filter((side) => side?.owner === partner);
  if (sides.length !== 2 || !mine || !theirs || partner === null || partner === me) return { is: 'odd' };
  const offer: ShownOffer = {
    offerId,
    me,
    partner,
    partnerName: textOf(row.querySelector('.tradeoffer_partner')),
    note: textOf(row.querySelector('.tradeoffer_message .quote')),
    give: mine.assets,
    receive: theirs.assets,
    hasIds: mine.hasIds && theirs.hasIds,
  };
  return { is: 'whole', offer };
}

let known: { key: string; me: string | null } | null = null;

/** Reads the rows of the list of received offers. */
export function readList(page: ParentNode): Row[] {
  const scripts = scriptsOf(page);
  const key = scripts.join('\0');
  if (known?.key !== key) known = { key, me: readOwnAccount(scripts) };
  const { me } = known;
  return [...page.querySelectorAll('.tradeoffer')].map((element) => ({
    element,
    reading: readRow(element, me),
  }));
}
