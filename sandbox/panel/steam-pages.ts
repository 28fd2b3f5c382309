import { isReversible } from '#sandbox/steam/exchange.ts';
import { piecesOf } from '#sandbox/steam/stacks.ts';
import type { SteamItem, SteamPerson, Trade } from '#sandbox/steam/state.ts';
import { type Html, html } from './html.ts';
import { count, type Page } from './layout.ts';
import { type Panel, PanelRefusal, type PanelWorlds } from './panel.ts';
import { offersSection, pickItems } from './steam-offers.ts';
import {
  gameName,
  groupItems,
  kindOfItem,
  picture,
  requireSteamPerson,
  steamTime,
  strip,
  tradeStatusWords,
} from './steam-words.ts';

/** Groups equal items with the same context and end of protection into one tile. */
function tiles(worlds: PanelWorlds, items: readonly SteamItem[]): Html {
  const groups = groupItems(items, (item) => `${item.classid}/${item.instanceid}/${item.protectedUntil}`);
  const entries = groups.map((group) => {
    const [item] = group;
    const kind = item && kindOfItem(worlds.steam, item);
    const held = item && item.protectedUntil > 0;
    const pieces = group.reduce((sum, each) => sum + piecesOf(each), 0);
    return html`<li><div class="plate">${picture(worlds.addresses.images, kind)}</div>
<p>${kind?.market_name ?? 'unknown item'}${pieces > 1 && html` <strong class="nowrap">× ${pieces}</strong>`}</p>
${held && html`<p class="hint">protected until ${steamTime(item.protectedUntil)}</p>`}
${kind?.tradable === 0 && html`<p class="hint">not tradable</p>`}</li>`;
  });
  return html`<ul class="items">${entries}</ul>`;
}

function inventorySection(worlds: PanelWorlds, person: SteamPerson): Html {
  const places = groupItems(person.items, (item) => `${item.appid}/${item.contextid}`);
  const parts = places.map((items) => {
    const [item] = items;
    const place = item && `${gameName(item.appid)}, context ${item.contextid}`;
    return html`<h3>${place} <span class="badge">${count(items.length, 'item')}</span></h3>${tiles(worlds, items)}`;
  });
  const options = worlds.steam
    .kinds()
    .map(
      (kind) =>
        html`<option value="${kind.appid}/${kind.classid}/${kind.instanceid}">${kind.market_name} (${gameName(kind.appid)})</option>`,
    );
  return html`<section><h2>Inventory</h2>
<form method="post" action="/steam/users/${person.steamId}/give"><label>Item from the catalogue <select name="kind">${options}</select></label>
<label class="short">How many <input name="count" type="number" min="1" max="100" value="1"></label>
<label class="short">Pieces in each <input name="pieces" type="number" min="1" max="1000000" value="1"></label><button>Give to ${person.name}</button></form>
${parts.length > 0 ? parts : html`<p class="hint">Empty.</p>`}</section>`;
}

function accountSection({ steam }: PanelWorlds, person: SteamPerson): Html {
  const at = `/steam/users/${person.steamId}`;
  const needsNotice = !person.protectionAcknowledged;
  const isBanned = person.tradeBannedUntil > steam.nowSeconds();
  const bot =
    person.login &&
    html`<dt>Bot</dt><dd>${steam.isConnected(person.steamId) ? 'logged in' : 'not logged in'}, account ${person.login.accountName}</dd>`;
  return html`<section><h2>Account</h2><dl>
<dt>SteamID</dt><dd class="mono">${person.steamId}</dd>${bot}
${needsNotice && html`<dt>Trade Protection</dt><dd>notice not acknowledged yet</dd>`}
<dt>Inventory</dt><dd>${person.privateInventory ? 'private' : 'public'}</dd>
<dt>Trade hold</dt><dd>${person.escrowDays === 0 ? 'none' : count(person.escrowDays, 'day')}</dd>
${isBanned && html`<dt>Trade ban</dt><dd>until ${steamTime(person.tradeBannedUntil)}</dd>`}</dl>
<form><label>Trade URL for the product <input readonly value="${steam.tradeUrlOf(person)}"></label></form>
<form method="post" action="${at}/rotate-token"><button>New trade URL</button></form>
${needsNotice && html`<form method="post" action="${at}/acknowledge"><button>Acknowledge the Trade Protection notice</button></form>`}
<form method="post" action="${at}/private"><button name="private" value="${person.privateInventory ? 'false' : 'true'}">Make inventory ${person.privateInventory ? 'public' : 'private'}</button></form>
<form method="post" action="${at}/escrow"><label class="short">Days held <input name="days" type="number" min="0" max="15" value="${person.escrowDays}"></label><button>Set trade hold</button></form>
${isBanned && html`<form method="post" action="${at}/trade-ban"><input type="hidden" name="days" value="0"><button>Lift the trade ban</button></form>`}</section>`;
}

function tradeRow({ steam, addresses }: PanelWorlds, person: SteamPerson, trade: Trade): Html {
  const partner = steam.userBySteamId(trade.a === person.steamId ? trade.b : trade.a);
  const items = trade.moves.map((move) => move.item);
  const isOpen = isReversible(steam.state, trade, steam.nowSeconds());
  const undo = html`<form method="post" action="/steam/trades/${trade.id}/reverse"><button class="danger">Reverse</button></form>`;
  return html`<li><div class="what"><strong>With ${partner?.name ?? 'nobody'}</strong> <span class="badge">${trade.rollbackOf ? 'took a trade back' : tradeStatusWords[trade.status]}</span>
<small>trade ${trade.id}, ${steamTime(trade.startedAt)}${isOpen && html`, can be reversed until ${steamTime(trade.settlesAt)}`}</small>
${strip(steam, addresses.images, items)}</div>${isOpen && undo}</li>`;
}

function tradesSection(worlds: PanelWorlds, person: SteamPerson): Html | null {
  const trades = worlds.steam.tradesOf(person.steamId).reverse().slice(0, 20);
  if (trades.length === 0) return null;
  const now = worlds.steam.nowSeconds();
  const canReverse = trades.some((trade) => isReversible(worlds.steam.state, trade, now));
  const all = html`<form method="post" action="/steam/users/${person.steamId}/reverse-trades"><button class="danger">Reverse all protected trades</button><small>As Steam offers it: ${person.name} is then banned from trading for 30 days.</small></form>`;
  return html`<section><h2>Trades</h2>${canReverse && all}<ul class="rows">${trades.map((trade) => tradeRow(worlds, person, trade))}</ul></section>`;
}

function sendSection(worlds: PanelWorlds, person: SteamPerson): Html {
  const others = worlds.steam.users().filter((other) => other !== person && other.login);
  const forms = others.map(
    (
      bot,
    ) => html`<form method="post" action="/steam/users/${person.steamId}/offers"><input type="hidden" name="to" value="${bot.steamId}">
${pickItems(worlds, person, 'give', 'Give')}${pickItems(worlds, bot, 'receive', `Ask ${bot.name} for`)}
<label>Message <input name="message" maxlength="128"></label><button>Send to ${bot.name}</button></form>`,
  );
  return html`<section><details><summary>Send an unrequested offer</summary>${forms}</details></section>`;
}

function tabs({ steam }: PanelWorlds, current: string): Html {
  const entries = steam.users().map((person) => {
    const here = person.steamId === current ? html` aria-current="page"` : null;
    return html`<li><a href="/steam/users/${person.steamId}"${here}>${person.name}${person.login && ' (bot)'}</a></li>`;
  });
  return html`<ul class="tabs">${entries}</ul>`;
}

function personPage(worlds: PanelWorlds, steamId: string): Page {
  const person = requireSteamPerson(worlds.steam, steamId);
  return {
    title: `Steam: ${person.name}`,
    section: '/steam',
    body: html`${tabs(worlds, steamId)}
<div class="columns"><div>${offersSection(worlds, person)}${tradesSection(worlds, person)}</div><div>${accountSection(worlds, person)}${sendSection(worlds, person)}</div></div>
${inventorySection(worlds, person)}`,
  };
}

function openOffers({ steam }: PanelWorlds, person: SteamPerson): number {
  return steam.offersOf(person.steamId).filter((offer) => offer.to === person.steamId && offer.state === 2)
    .length;
}

function peoplePage(worlds: PanelWorlds): Page {
  const rows = worlds.steam.users().map((person) => {
    const waiting = openOffers(worlds, person);
    return html`<li><span class="what"><a href="/steam/users/${person.steamId}">${person.name}</a> ${person.login && html`<span class="badge">bot</span>`}
${waiting > 0 && html`<span class="badge on">${count(waiting, 'offer')} to answer</span>`}<small class="mono">${person.steamId}</small></span>
<small>${count(person.items.length, 'item')}</small></li>`;
  });
  return {
    title: 'Steam',
    section: '/steam',
    body: html`<section><ul class="rows">${rows}</ul></section>
<section><h2>New person</h2><form method="post" action="/steam/users"><label>Name <input name="name" maxlength="32" required></label><button>Add</button></form></section>`,
  };
}

function receiverOf({ steam }: PanelWorlds, offerId: string): string {
  const offers = steam.users().flatMap((person) => steam.offersOf(person.steamId));
  const offer = offers.find(({ id }) => id === offerId);
  if (!offer) throw new PanelRefusal(404, 'There is no such trade offer.');
  return offer.to;
}

/** The people of Steam, each with inventory, offers and trades. */
export function addSteamPages(panel: Panel): void {
  const { worlds } = panel;
  panel.page('/steam', () => peoplePage(worlds));
  panel.page('/steam/users/:steamId', ({ steamId }) => personPage(worlds, steamId));
  // The pages that the product's links to Steam lead to: an offer to the person who has to answer it, the
  // visitor's own settings to everybody.
  panel.page('/steam/tradeoffer/:offerId/', ({ offerId }) => personPage(worlds, receiverOf(worlds, offerId)));
  panel.page('/steam/my/*', () => peoplePage(worlds));
}
