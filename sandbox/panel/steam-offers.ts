import { offerState, type SteamItem, type SteamPerson, type TradeOffer } from '#sandbox/steam/state.ts';
import { type Html, html } from './html.ts';
import type { PanelWorlds } from './panel.ts';
import { itemKey, kindOfItem, offerStateWords, steamTime, strip } from './steam-words.ts';

function isWaiting(offer: TradeOffer): boolean {
  return offer.state === offerState.active || offer.state === offerState.needsConfirmation;
}

function button(action: string, name: string, style = ''): Html {
  const className = style ? html` class="${style}"` : null;
  return html`<form method="post" action="${action}"><button${className}>${name}</button></form>`;
}

/** A multiple choice of the items that can be traded. */
export function pickItems({ steam }: PanelWorlds, owner: SteamPerson, name: string, label: string): Html {
  const isMovable = (item: SteamItem) => item.protectedUntil === 0 && kindOfItem(steam, item)?.tradable === 1;
  const options = owner.items
    .filter(isMovable)
    .map((item) => html`<option value="${itemKey(item)}">${kindOfItem(steam, item)?.market_name}</option>`);
  return html`<label>${label} <select name="${name}" multiple size="5">${options}</select></label>`;
}

function counterForm(worlds: PanelWorlds, action: string, person: SteamPerson, partner: SteamPerson): Html {
  return html`<details><summary>Counter</summary><form method="post" action="${action}">
${pickItems(worlds, person, 'give', 'Give')}${pickItems(worlds, partner, 'receive', 'Ask for')}
<label>Message <input name="message" maxlength="128"></label><button>Send counter offer</button></form></details>`;
}

function actions(
  worlds: PanelWorlds,
  person: SteamPerson,
  partner: SteamPerson,
  offer: TradeOffer,
): Html | null {
  const at = `/steam/users/${person.steamId}/offers/${offer.id}`;
  const isSender = offer.from === person.steamId;
  const waits = worlds.steam.confirmationsOf(person.steamId).some((entry) => entry.offerId === offer.id);
  const phone = waits ? button(`${at}/confirm`, 'Confirm on the phone', 'primary') : null;
  if (offer.state === offerState.inEscrow) {
    return button(isSender ? `${at}/cancel` : `${at}/decline`, 'Cancel the trade', 'danger');
  }
  if (!isWaiting(offer)) return null;
  if (isSender) return html`${phone}${button(`${at}/cancel`, 'Cancel', 'danger')}`;
  return html`${phone}${waits ? null : button(`${at}/accept`, 'Accept', 'primary')}${button(`${at}/decline`, 'Decline', 'danger')}
${counterForm(worlds, `${at}/counter`, person, partner)}`;
}

function offerRow(worlds: PanelWorlds, person: SteamPerson, offer: TradeOffer): Html {
  const isSender = offer.from === person.steamId;
  const partner = worlds.steam.userBySteamId(isSender ? offer.to : offer.from);
  const [gives, gets] = isSender ? [offer.give, offer.receive] : [offer.receive, offer.give];
  const side = (name: string, items: SteamItem[]) =>
    items.length > 0 && html`<h3>${name}</h3>${strip(worlds.steam, worlds.addresses.images, items)}`;
  const style = isWaiting(offer) ? 'badge on' : 'badge';
  return html`<li class="offer"><div class="what"><strong>${isSender ? 'To' : 'From'} ${partner?.name ?? 'nobody'}</strong>
<span class="${style}">${offerStateWords[offer.state]}</span>
<small>offer ${offer.id}, ${steamTime(offer.updatedAt)}${offer.escrowEndsAt > 0 && html`, held until ${steamTime(offer.escrowEndsAt)}`}</small>
${offer.message && html`<p>“${offer.message}”</p>`}
${side(`${person.name} gets`, gets)}${side(`${person.name} gives`, gives)}</div>
${partner && actions(worlds, person, partner, offer)}</li>`;
}

/** A person's offers: open ones as a list, the latest others folded. */
export function offersSection(worlds: PanelWorlds, person: SteamPerson): Html {
  const offers = worlds.steam.offersOf(person.steamId).reverse();
  const isLive = (offer: TradeOffer) => isWaiting(offer) || offer.state === offerState.inEscrow;
  const waiting = offers.filter(isLive).map((offer) => offerRow(worlds, person, offer));
  const past = offers.filter((offer) => !isLive(offer)).slice(0, 20);
  const none = html`<p class="hint">No open offers.</p>`;
  const pastRows = past.map((offer) => offerRow(worlds, person, offer));
  return html`<section><h2>Offers</h2>${waiting.length > 0 ? html`<ul class="rows">${waiting}</ul>` : none}
${past.length > 0 && html`<details><summary>Past offers (${past.length})</summary><ul class="rows">${pastRows}</ul></details>`}</section>`;
}
