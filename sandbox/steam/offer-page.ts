import { escapeHtml } from './http.ts';
import { offerState, type SteamItem, type SteamPerson, type TradeOffer } from './state.ts';
import { tradeScriptPath } from './trade-script.ts';
import { tradeShapeOf } from './trade-shapes.ts';
import type { SteamWorld } from './world.ts';

/** The languages in which the sandbox shows Steam's pages, by Steam's own names (`?l=russian`). */
export type SteamLanguage = 'english' | 'russian';

const words = {
  english: {
    title: 'Trade offer with',
    from: 'Trade offer from',
    note: 'Included message:',
    noNote: '<none>',
    yours: 'Your items:',
    theirs: 'Their items:',
    change: 'Change offer',
    accept: 'Accept Trade',
    decline: 'Decline Trade',
    send: 'Send a message',
    over: 'This trade offer is no longer valid.',
    receipt: 'New items',
  },
  russian: {
    title: 'Предложение обмена:',
    from: 'Предложение обмена от',
    note: 'Сообщение к обмену:',
    noNote: '<нет>',
    yours: 'Ваши предметы:',
    theirs: 'Предметы партнёра:',
    change: 'Изменить предложение',
    accept: 'Принять обмен',
    decline: 'Отклонить обмен',
    send: 'Добавить сообщение',
    over: 'Это предложение обмена больше недействительно.',
    receipt: 'Новые предметы',
  },
} as const;

/** The sentence that Steam shows instead of an offer that can no longer be answered. */
export const overIn = (language: SteamLanguage): string => words[language].over;

/** Returns whether the page still shows what an offer contains. */
export const isShown = ({ state }: TradeOffer): boolean =>
  state === offerState.active || state === offerState.needsConfirmation;

/** The items that each side of an offer gives, from one side's view. */
export function sidesOf(offer: TradeOffer, me: SteamPerson): { mine: SteamItem[]; theirs: SteamItem[] } {
  const [mine, theirs] =
    offer.from === me.steamId ? [offer.give, offer.receive] : [offer.receive, offer.give];
  return { mine, theirs };
}

/** A value inside a script. */
export function script(value: unknown): string {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

interface Shown {
  world: SteamWorld;
  offer: TradeOffer;
  me: SteamPerson;
  them: SteamPerson;
  language: SteamLanguage;
  /** The session id that forms repeat. */
  sessionId: string;
}

/**
 * The page of an offer that exists. Its elements are those that csfloat/extension, gergelyszabo94/csgo-trader-extension
 * (`tradeOffer.js`), juliarose/steam-trade-offer-enhancer and SteamDatabase/SteamTracking (`economy_tradeoffer.js`) look for.
 * `variables` are those that the page of a new offer has as well.
 */
export function offerPageHtml(shown: Shown, variables: string): string {
  const { world, offer, them, language } = shown;
  const text = words[language];
  const isOwn = offer.from !== them.steamId;
  const actions = isOwn
    ? ''
    : `<div id="modify_trade_offer_opts"><div class="readystate modify_trade_offer" onclick="StartCounterOffer()">${text.change}</div></div>
<a id="btn_decline_trade_offer" onclick="answerOffer('decline', '${offer.id}')">${text.decline}</a>
<div id="trade_confirmbtn" onclick="answerOffer('accept', '${offer.id}')"><div id="trade_confirmbtn_text">${text.accept}</div></div>`;
  return `<!DOCTYPE html>
<html lang="${language === 'russian' ? 'ru' : 'en'}">
<head><meta charset="utf-8"><title>${text.title} ${escapeHtml(them.name)}</title>
<script src="${tradeScriptPath}"></script></head>
<body class="flat_page">
<div class="pagecontent no_header">
<div class="trade_partner_header responsive_trade_offersection">
<div class="trade_partner_headline">${text.from} <a data-miniprofile="${them.accountId}" href="https://steamcommunity.com/profiles/${them.steamId}">${escapeHtml(them.name)}</a></div>
</div>
${note(offer, language)}
<div id="tradeoffer_addmessage"><span>${text.send}</span><textarea id="trade_offer_note"></textarea></div>
<div class="trade_area readonly">
<div id="trade_yours" class="trade_offer"><div class="offerheader"><h2>${text.yours}</h2></div>${slotsHtml(world, 'your')}</div>
<div id="trade_theirs" class="trade_offer"><div class="offerheader"><h2>${text.theirs}</h2></div>${slotsHtml(world, 'their')}</div>
${actions}
</div>
</div>
<script type="text/javascript">
${variables}
</script>
<script type="text/javascript">
${statusScript(shown)}
</script>
</body>
</html>`;
}

/** The slots of one side, which the page's own script fills. */
const slotsHtml = (world: SteamWorld, side: 'your' | 'their'): string =>
  ({
    alone: `<div id="${side}_slots" class="trade_item_box"></div>`,
    boxed: `<div class="trade_item_box"><div id="${side}_slots_currency"></div><div id="${side}_slots"></div></div>`,
  })[tradeShapeOf(world).slots];

function note({ message }: TradeOffer, language: SteamLanguage): string {
  const text = words[language];
  return `<div id="tradeoffer_includedmessage" class="included_trade_offer_note_ctn">
<div class="included_trade_offer_note_header">${text.note}</div>
<div class="included_trade_offer_note">
\t${escapeHtml(message || text.noNote)}\t</div>
</div>`;
}

function statusScript({ world, offer, me, them, sessionId }: Shown): string {
  const shape = tradeShapeOf(world);
  const { mine, theirs } = sidesOf(offer, me);
  const side = (items: SteamItem[]) => ({
    assets: items.map((item) => assetOf(item, shape.numbers)),
    currency: [],
    ready: false,
  });
  const status = { newversion: true, version: 1, me: side(mine), them: side(theirs) };
  const session = `\tvar g_sessionID = ${script(sessionId)};\n`;
  const accounts = `\tvar g_steamID = "${me.steamId}";\n\tvar g_ulTradePartnerSteamID = '${them.steamId}';\n`;
  switch (shape.status) {
    case 'assigned':
      return `${session}${accounts}\tvar g_rgCurrentTradeStatus = ${script(status)};\n\tBeginTradeOffer( '${offer.id}', false );`;
    case 'quoted':
      return `${session}${accounts}\tvar g_rgCurrentTradeStatus = JSON.parse(${script(JSON.stringify(status))});\n\tvar g_nTradeOfferId = '${offer.id}';\n\tBeginTradeOffer( g_nTradeOfferId, false );`;
    case 'calls':
      return `${session}\tUserYou.SetSteamId( '${me.steamId}' );\n\tUserThem.SetSteamId( '${them.steamId}' );\n\tvar g_rgCurrentTradeStatus = ${script(status)};\n\t$J(function() { BeginTradeOffer(); });`;
  }
}

function assetOf({ appid, contextid, assetid, amount }: SteamItem, numbers: 'quoted' | 'bare') {
  return numbers === 'quoted'
    ? { appid: String(appid), contextid, assetid, amount }
    : { appid, contextid: Number(contextid), assetid, amount: Number(amount) };
}

/** The page after a trade; steam-tradeoffer-manager, TradeOffer.js, runs its script to read the items. */
export function receiptHtml(items: readonly SteamItem[], language: SteamLanguage): string {
  const lines = items.map(
    ({ appid, contextid, assetid, classid, instanceid, amount }, place) =>
      `\toItem = ${script({ id: assetid, appid, contextid, classid, instanceid, amount })};\n\tBuildHover( 'trade_item_${place}', oItem );`,
  );
  return `<!DOCTYPE html>
<html><head><meta charset="utf-8"><title>${words[language].receipt}</title></head>
<body><h1>${words[language].receipt}</h1>
<script type="text/javascript">
\tvar oItem;
${lines.join('\n')}
</script>
</body></html>`;
}
