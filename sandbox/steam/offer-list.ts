import { type Answer, type Endpoint, escapeHtml, html, redirect, type SteamRequest } from './http.ts';
import { type OfferState, offerState, type SteamItem, type SteamPerson, type TradeOffer } from './state.ts';
import { type TradeShape, tradeShapeOf } from './trade-shapes.ts';
import { shownInstance } from './views.ts';
import type { SteamWorld } from './world.ts';

export type Handler = (world: SteamWorld, request: SteamRequest, person: SteamPerson) => Answer;

/** The lists of a person's trade offers; `page` answers whoever is not signed in. */
export const offerListEndpoints = (page: (handle: Handler) => Endpoint['answer']): Endpoint[] => [
  {
    method: 'GET',
    path: /^\/my\/tradeoffers(\/sent)?\/?$/,
    target: 'tradePage',
    answer: page(ownOffers),
  },
  {
    method: 'GET',
    path: /^\/profiles\/(\d+)\/tradeoffers\/sent\/?$/,
    target: 'tradePage',
    answer: page(sentOffersPage),
  },
  {
    method: 'GET',
    path: /^\/profiles\/(\d+)\/tradeoffers\/?$/,
    target: 'tradePage',
    answer: page(receivedOffersPage),
  },
];

/** The banners across offers that can no longer be answered, or not yet. */
const banners: Partial<Record<OfferState, { english: string; russian: string }>> = {
  [offerState.accepted]: { english: 'Trade Accepted', russian: 'Обмен принят' },
  [offerState.countered]: { english: 'Counter Offer Made', russian: 'Сделано встречное предложение' },
  [offerState.expired]: { english: 'Trade Offer Expired', russian: 'Срок предложения истёк' },
  [offerState.canceled]: { english: 'Trade Offer Canceled', russian: 'Предложение обмена отменено' },
  [offerState.declined]: { english: 'Trade Declined', russian: 'Обмен отклонён' },
  [offerState.invalidItems]: {
    english: 'Items Now Unavailable For Trade',
    russian: 'Предметы недоступны для обмена',
  },
  [offerState.needsConfirmation]: {
    english: 'Awaiting Mobile Confirmation',
    russian: 'Ожидает подтверждения',
  },
  [offerState.canceledBySecondFactor]: {
    english: 'Trade Offer Canceled',
    russian: 'Предложение обмена отменено',
  },
  [offerState.inEscrow]: { english: 'Trade Accepted – On hold', russian: 'Обмен принят – удерживается' },
};

/** `/my` leads to the profile of the signed-in person. */
function ownOffers(_world: SteamWorld, { parts, query }: SteamRequest, person: SteamPerson) {
  const language = query.l === undefined ? '' : `?l=${encodeURIComponent(query.l)}`;
  return redirect(
    `https://steamcommunity.com/profiles/${person.steamId}/tradeoffers${parts[0] ?? ''}/${language}`,
  );
}

function sentOffersPage(world: SteamWorld, request: SteamRequest, person: SteamPerson) {
  const isSilent = world.state.dialect.silence === 'page';
  const sent = world.offersOf(person.steamId).filter(({ from }) => from === person.steamId && !isSilent);
  world.seeSentOffers(person.steamId);
  return listPage(world, request, person, { offers: sent, isSent: true });
}

function receivedOffersPage(world: SteamWorld, request: SteamRequest, person: SteamPerson) {
  const received = world
    .offersOf(person.steamId)
    .filter(({ to, state }) => to === person.steamId && state !== offerState.needsConfirmation);
  return listPage(world, request, person, { offers: received, isSent: false });
}

function listPage(
  world: SteamWorld,
  { parts, query }: SteamRequest,
  person: SteamPerson,
  { offers, isSent }: { offers: TradeOffer[]; isSent: boolean },
) {
  if (parts[0] !== person.steamId)
    return html(
      '<html><body><div id="error_msg">\n\tYou do not have permission to view this page.\t</div></body></html>',
    );
  const language = query.l === 'russian' ? 'russian' : 'english';
  const rows = offers.map((offer) => rowOf(world, offer, person, language));
  const title = isSent ? 'Sent Trade Offers' : 'Incoming Trade Offers';
  return html(
    `<!DOCTYPE html>
<html lang="${language === 'russian' ? 'ru' : 'en'}"><head><meta charset="utf-8"><title>${title}</title></head>
<body>
<script type="text/javascript">
	g_steamID = "${person.steamId}";
</script>
${offerTabs(person, isSent)}
<div class="maincontent"><div class="profile_leftcol">
${rows.join('\n')}
</div></div></body></html>`,
  );
}

/** The tabs of Steam's pages of trade offers as cantryDev/FixTradeoffers, TradeOffersInjector.js, rebuilds them. */
function offerTabs({ steamId }: SteamPerson, isSent: boolean) {
  const shown = '<div class="right_controls_large_block_active_bg"></div>';
  const tab = (path: string, title: string, isShown: boolean) =>
    `<a class="right_controls_large_block" href="https://steamcommunity.com/profiles/${steamId}/tradeoffers/${path}">${isShown ? shown : ''}<div class="title">${title}</div></a>`;
  return tab('', 'Incoming Offers', !isSent) + tab('sent/', 'Sent Offers', isSent);
}

/**
 * The row of an offer. Gobot1234/steam.py, http.py, has a captured one; csfloat/extension, trade_offer.ts, and
 * waylaidwanderer/PHP-SteamCommunity, TradeOffers.php, read the same elements. The sender's items come first.
 */
function rowOf(
  world: SteamWorld,
  offer: TradeOffer,
  person: SteamPerson,
  language: 'english' | 'russian',
): string {
  const { rows } = tradeShapeOf(world);
  const from = world.userBySteamId(offer.from);
  const to = world.userBySteamId(offer.to);
  if (from === null || to === null) return '';
  const partner = from.steamId === person.steamId ? to : from;
  const banner = banners[offer.state]?.[language];
  const between = banner
    ? `<div class="tradeoffer_items_banner">\n\t${banner}\t</div>`
    : '<div class="tradeoffer_items_rule"></div>';
  return `<div class="tradeoffer" id="tradeofferid_${offer.id}">
<div class="tradeoffer_partner"><div class="playerAvatar offline" data-miniprofile="${partner.accountId}"><a href="https://steamcommunity.com/profiles/${partner.steamId}">${escapeHtml(partner.name)}</a></div></div>
<div class="tradeoffer_header">${escapeHtml(partner.name)}</div>
<div class="tradeoffer_message"><div class="quote_arrow"></div><div class="quote">\n\t${escapeHtml(offer.message)}&nbsp;<span class="tooltip_hint">(?)</span>\t</div></div>
<div class="tradeoffer_items_ctn ${banner ? 'inactive' : 'active'}">
${itemsOf('primary', from, offer.give, rows)}
${between}
${itemsOf('secondary', to, offer.receive, rows)}
</div>
<div class="tradeoffer_footer"><div class="tradeoffer_footer_actions"><a class="whiteLink" href="https://steamcommunity.com/tradeoffer/${offer.id}/">…</a></div></div>
</div>`;
}

function itemsOf(
  place: 'primary' | 'secondary',
  owner: SteamPerson,
  items: SteamItem[],
  rows: TradeShape['rows'],
) {
  const shown = items.map((item) => {
    const { appid, contextid, assetid, classid } = item;
    const named =
      rows === 'assets'
        ? `${appid}/${contextid}/${assetid}/${owner.steamId}`
        : `classinfo/${appid}/${classid}/${shownInstance(item)}`;
    return `<div class="trade_item" data-economy-item="${named}"></div>`;
  });
  return `<div class="tradeoffer_items ${place}"><div class="tradeoffer_items_avatar_ctn"><a class="tradeoffer_avatar playerAvatar tiny offline" href="https://steamcommunity.com/profiles/${owner.steamId}" data-miniprofile="${owner.accountId}"></a></div><div class="tradeoffer_items_header">${escapeHtml(owner.name)}</div><div class="tradeoffer_item_list">${shown.join('')}<div style="clear: left;"></div></div></div>`;
}
