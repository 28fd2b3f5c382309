import { openContextOf } from './catalogue.ts';
import { type Answer, type Endpoint, escapeHtml, html, json, redirect, type SteamRequest } from './http.ts';
import type { AssetName, OfferRequest } from './offers.ts';
import { steamIdBase } from './people.ts';
import { eresult, refuse } from './refusals.ts';
import type { Refusal, SteamPerson } from './state.ts';
import { gameName } from './views.ts';
import type { SteamWorld } from './world.ts';

const loginPage = 'https://steamcommunity.com/login/home/?goto=';

/** The pages and forms of steamcommunity.com for making and answering offers. */
export const tradePageEndpoints: Endpoint[] = [
  { method: 'POST', path: /^\/tradeoffer\/new\/send$/, target: 'send', answer: form(send) },
  { method: 'POST', path: /^\/tradeoffer\/(\d+)\/accept$/, target: 'accept', answer: form(accept) },
  { method: 'POST', path: /^\/tradeoffer\/(\d+)\/decline$/, target: 'decline', answer: form(end('decline')) },
  { method: 'POST', path: /^\/tradeoffer\/(\d+)\/cancel$/, target: 'cancel', answer: form(end('cancel')) },
  // The packages use two slashes here, as Steam's own page does.
  {
    method: 'POST',
    path: /^\/{1,2}trade\/new\/acknowledge$/,
    target: 'acknowledge',
    answer: form(acknowledge),
  },
  { method: 'GET', path: /^\/tradeoffer\/new\/?$/, target: 'tradePage', answer: page(newOfferPage) },
  { method: 'GET', path: /^\/tradeoffer\/(\d+)\/?$/, target: 'tradePage', answer: page(offerPage) },
  { method: 'GET', path: /^\/my\/tradeoffers\/sent\/?$/, target: 'tradePage', answer: page(ownSentOffers) },
  {
    method: 'GET',
    path: /^\/profiles\/(\d+)\/tradeoffers\/sent\/?$/,
    target: 'tradePage',
    answer: page(sentOffersPage),
  },
];

type Handler = (world: SteamWorld, request: SteamRequest, person: SteamPerson) => Answer;

/** A form needs a session, and the session id repeated in the body to prevent CSRF. */
function form(handle: Handler): Endpoint['answer'] {
  return (world, request) => {
    if (request.person === null) return json(null, 401);
    const repeated =
      request.form.sessionid !== undefined && request.form.sessionid === request.cookies.sessionid;
    return repeated ? handle(world, request, request.person) : json(null, 400);
  };
}

function page(handle: Handler): Endpoint['answer'] {
  return (world, request) =>
    request.person === null ? redirect(loginPage) : handle(world, request, request.person);
}

/** Steam answers refusals with status 500 and the sentence in the body. */
export function refusalAnswer(refusal: Refusal) {
  return json({ strError: refusal.message }, 500);
}

function send(world: SteamWorld, request: SteamRequest, person: SteamPerson) {
  const offerRequest = readOfferRequest(request);
  if (offerRequest === null) return refusalAnswer(refuse('send', eresult.invalidParam));
  const counters = offerRequest.counters;
  const outcome =
    typeof counters === 'string'
      ? world.counter(counters, person.steamId, offerRequest)
      : world.send(person.steamId, offerRequest);
  if (!outcome.ok) return refusalAnswer(outcome);
  const confirmation = { needs_mobile_confirmation: true, needs_email_confirmation: false, email_domain: '' };
  return json({ tradeofferid: outcome.offer.id, ...(outcome.needsConfirmation && confirmation) });
}

/** Parses Steam's form; null when it is invalid. */
function readOfferRequest(request: SteamRequest): OfferRequest | null {
  const { partner, json_tradeoffer, trade_offer_create_params, tradeoffermessage, tradeofferid_countered } =
    request.form;
  try {
    const offer: unknown = JSON.parse(json_tradeoffer ?? '');
    const params: unknown = JSON.parse(trade_offer_create_params || '{}');
    const token = (params as { trade_offer_access_token?: unknown }).trade_offer_access_token;
    const sides = offer as { me?: { assets?: unknown }; them?: { assets?: unknown } };
    return {
      to: partner ?? '',
      token: typeof token === 'string' ? token : null,
      give: readAssets(sides.me?.assets),
      receive: readAssets(sides.them?.assets),
      message: tradeoffermessage ?? '',
      counters: tradeofferid_countered || null,
    };
  } catch {
    return null;
  }
}

function readAssets(assets: unknown): AssetName[] {
  if (!Array.isArray(assets)) throw new Error('An offer names its assets in lists.');
  type Named = Partial<Record<'appid' | 'contextid' | 'assetid' | 'amount', unknown>>;
  return assets.map((asset: Named) => ({
    appid: Number(asset.appid),
    contextid: String(asset.contextid),
    assetid: String(asset.assetid),
    pieces: Number(asset.amount ?? 1),
  }));
}

function accept(world: SteamWorld, request: SteamRequest, person: SteamPerson) {
  const outcome = world.accept(request.parts[0] ?? '', person.steamId);
  if (!outcome.ok) return refusalAnswer(outcome);
  return json(
    outcome.needsConfirmation ? { needs_mobile_confirmation: true } : { tradeid: outcome.trade.id },
  );
}

function end(act: 'decline' | 'cancel'): Handler {
  return (world, request, person) => {
    const outcome = world[act](request.parts[0] ?? '', person.steamId);
    return outcome.ok ? json({ tradeofferid: outcome.offer.id }) : refusalAnswer(outcome);
  };
}

function acknowledge(world: SteamWorld, _request: SteamRequest, person: SteamPerson) {
  world.acknowledgeProtection(person.steamId);
  return json({ success: true });
}

function newOfferPage(world: SteamWorld, request: SteamRequest, person: SteamPerson) {
  const { partner, token } = request.query;
  const them = /^\d{1,10}$/.test(partner ?? '')
    ? world.userBySteamId(String(steamIdBase + BigInt(partner ?? '0')))
    : null;
  if (them === null) return errorPage('This Trade URL is no longer valid for sending a trade offer.');
  if (them.tradeToken !== token) {
    return errorPage(`This Trade URL is no longer valid for sending a trade offer to ${them.name}.`);
  }
  if (them.privateInventory) {
    return errorPage(
      `${them.name}'s inventory privacy is set to "Private", so they cannot receive trade offers.`,
    );
  }
  if (them.tradeBannedUntil > world.nowSeconds()) {
    return errorPage(`You cannot trade with ${them.name} because they have a trade ban.`);
  }
  return tradePage(world, person, them);
}

function offerPage(world: SteamWorld, request: SteamRequest, person: SteamPerson) {
  const offer = world.offersOf(person.steamId).find((candidate) => candidate.id === request.parts[0]);
  if (offer === undefined) return errorPage('The trade offer does not exist, or it belongs to another user.');
  const them = world.userBySteamId(offer.from === person.steamId ? offer.to : offer.from);
  return them === null ? errorPage('The trade offer does not exist.') : tradePage(world, person, them);
}

/** `/my` leads to the profile of the signed-in person. */
function ownSentOffers(_world: SteamWorld, _request: SteamRequest, person: SteamPerson) {
  return redirect(`https://steamcommunity.com/profiles/${person.steamId}/tradeoffers/sent/`);
}

function sentOffersPage(world: SteamWorld, request: SteamRequest, person: SteamPerson) {
  if (request.parts[0] !== person.steamId) return errorPage('You do not have permission to view this page.');
  const isSilent = world.state.dialect.silence === 'page';
  const offers = world.offersOf(person.steamId).filter(({ from }) => from === person.steamId && !isSilent);
  world.seeSentOffers(person.steamId);
  // csfloat/extension, trade_offer.ts, finds the rows of this page by the same class and ids.
  const rows = offers.map(({ id }) => `<div class="tradeoffer" id="tradeofferid_${id}"></div>`);
  return html(
    `<html><head><title>Sent Trade Offers</title></head><body>${offerTabs(person)}${rows.join('')}</body></html>`,
  );
}

/** The tabs of Steam's pages of trade offers as cantryDev/FixTradeoffers, TradeOffersInjector.js, rebuilds them. */
function offerTabs({ steamId }: SteamPerson) {
  const tab = (path: string, inner: string) =>
    `<a class="right_controls_large_block" href="https://steamcommunity.com/profiles/${steamId}/tradeoffers/${path}">${inner}</a>`;
  const shown = '<div class="right_controls_large_block_active_bg"></div>';
  return (
    tab('', '<div class="title">Incoming Offers</div>') +
    tab('sent/', `${shown}<div class="title">Sent Offers</div>`)
  );
}

function errorPage(message: string) {
  return html(`<html><body><div id="error_msg">\n\t${escapeHtml(message)}\t</div></body></html>`);
}

/** The packages run this page's script to read names, contexts and hold durations. */
function tradePage(world: SteamWorld, me: SteamPerson, them: SteamPerson) {
  return html(`<html>
<head><title>Trade offer with ${escapeHtml(them.name)}</title></head>
<body>
<script type="text/javascript">
	var g_rgAppContextData = ${script(contextsOf(world, me))};
	var g_rgPartnerAppContextData = ${script(contextsOf(world, them))};
	var g_strYourPersonaName = ${script(me.name)};
	var g_strTradePartnerPersonaName = ${script(them.name)};
	var g_bTradePartnerProbation = false;
	var g_daysMyEscrow = ${me.escrowDays};
	var g_daysTheirEscrow = ${them.escrowDays};
</script>
</body>
</html>`);
}

function script(value: unknown) {
  return JSON.stringify(value).replaceAll('<', '\\u003c');
}

function contextsOf(world: SteamWorld, person: SteamPerson) {
  const items = world
    .inventoryOf(person.steamId)
    .filter((item) => item.contextid === openContextOf(item.appid));
  const counts = new Map<number, number>();
  for (const item of items) counts.set(item.appid, (counts.get(item.appid) ?? 0) + 1);
  const games = [...counts].map(([appid, count]) => {
    const id = openContextOf(appid);
    const context = { asset_count: count, id, name: 'Backpack' };
    const game = { appid, name: gameName(appid), asset_count: count, rgContexts: { [id]: context } };
    return [String(appid), game];
  });
  return Object.fromEntries(games) as Record<string, object>;
}
