import { piecesOf } from '#sandbox/steam/stacks.ts';
import type { ItemKind, OfferState, SteamItem, SteamPerson, TradeStatus } from '#sandbox/steam/state.ts';
import type { SteamWorld } from '#sandbox/steam/world.ts';
import { type Html, html } from './html.ts';
import { time } from './layout.ts';
import { PanelRefusal } from './panel.ts';

export const offerStateWords: Record<OfferState, string> = {
  2: 'open',
  3: 'accepted',
  4: 'countered',
  5: 'expired',
  6: 'canceled',
  7: 'declined',
  8: 'items are gone',
  9: 'waits for the phone',
  10: 'refused on the phone',
  11: 'in escrow',
};

export const tradeStatusWords: Record<TradeStatus, string> = {
  3: 'complete',
  10: 'in escrow',
  11: 'escrow rolled back',
  12: 'reversed',
};

const gameNames: Record<number, string> = {
  440: 'Team Fortress 2',
  570: 'Dota 2',
  730: 'Counter-Strike 2',
  753: 'Steam',
  252490: 'Rust',
};

export function gameName(appid: number): string {
  return gameNames[appid] ?? `Game ${appid}`;
}

export function requireSteamPerson(steam: SteamWorld, steamId: string): SteamPerson {
  const person = steam.userBySteamId(steamId);
  if (!person) throw new PanelRefusal(404, `No Steam account has the id ${steamId}.`);
  return person;
}

export function kindOfItem(
  steam: SteamWorld,
  item: Pick<SteamItem, 'appid' | 'classid' | 'instanceid'>,
): ItemKind | undefined {
  return steam
    .kinds()
    .find(
      (kind) =>
        kind.appid === item.appid && kind.classid === item.classid && kind.instanceid === item.instanceid,
    );
}

/** An item's key in forms and JSON: game, context and asset id. */
export function itemKey(item: Pick<SteamItem, 'appid' | 'contextid' | 'assetid'>): string {
  return `${item.appid}/${item.contextid}/${item.assetid}`;
}

/** The reverse of `itemKey`. */
export function readItemKey(key: string) {
  const [appid, contextid, assetid] = key.split('/');
  if (!/^\d+\/\d+\/\d+$/.test(key) || !contextid || !assetid) {
    throw new PanelRefusal(400, 'An item is named as appid/contextid/assetid.');
  }
  return { appid: Number(appid), contextid, assetid };
}

export function picture(images: string, kind: ItemKind | undefined): Html | null {
  if (!kind) return null;
  return html`<img src="${images}${kind.icon_url}" alt="" loading="lazy" width="120" height="80">`;
}

/** Groups items by key, in order of first appearance. */
export function groupItems(items: readonly SteamItem[], keyOf: (item: SteamItem) => string): SteamItem[][] {
  const groups = new Map<string, SteamItem[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group) group.push(item);
    else groups.set(keyOf(item), [item]);
  }
  return [...groups.values()];
}

/** A row of small pictures with names; equal items are combined. */
export function strip(steam: SteamWorld, images: string, items: readonly SteamItem[]): Html {
  const groups = groupItems(items, (item) => `${item.appid}/${item.classid}/${item.instanceid}`);
  const entries = groups.map((group) => {
    const [item] = group;
    const kind = item && kindOfItem(steam, item);
    const pieces = group.reduce((sum, each) => sum + piecesOf(each), 0);
    const number = pieces > 1 ? ` × ${pieces}` : '';
    return html`<li>${picture(images, kind)}${kind?.market_name ?? 'unknown item'}${number}</li>`;
  });
  return html`<ul class="strip">${entries}</ul>`;
}

/** A time that Steam gives in Unix seconds. */
export function steamTime(seconds: number): Html {
  return time(seconds * 1000);
}
