import { openContextOf } from './catalogue.ts';
import { type Endpoint, escapeHtml, html, json, redirect, type SteamRequest, text } from './http.ts';
import { type Handler, offerListEndpoints } from './offer-list.ts';
import { isShown, offerPageHtml, overIn, receiptHtml, type SteamLanguage, script } from './offer-page.ts';
import type { AssetName, OfferRequest } from './offers.ts';
import { steamIdBase } from './people.ts';
import { eresult, refuse } from './refusals.ts';
import type { Refusal, SteamPerson } from './state.ts';
import { tradeScript, tradeScriptPath } from './trade-script.ts';
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
  { method: 'GET', path: /^\/trade\/(\d+)\/receipt\/?$/, target: 'tradePage', answer: page(receiptPage) },
  {
    method: 'GET',
    path: new RegExp(`^${tradeScriptPath}$`),
    target: 'any',
    answer: () => text(tradeScript, 200, 'text/javascript; charset=utf-8'),
  },
  ...offerListEndpoints(page),
];

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

/** The language that the address asks for (`?l=russian`), as on any page of Steam's. */
const languageOf = ({ query }: SteamRequest): SteamLanguage =>
  query.l === 'russian' ? 'russian' : 'english';

function offerPage(world: SteamWorld, request: SteamRequest, person: SteamPerson) {
  const offer = world.offersOf(person.steamId).find((candidate) => candidate.id === request.parts[0]);
  if (offer === undefined) return errorPage('The trade offer does not exist, or it belongs to another user.');
  const them = world.userBySteamId(offer.from === person.steamId ? offer.to : offer.from);
  if (them === null) return errorPage('The trade offer does not exist.');
  const language = languageOf(request);
  if (!isShown(offer)) return errorPage(overIn(language));
  const sessionId = request.cookies.sessionid ?? '';
  const shown = { world, offer, me: person, them, language, sessionId };
  return html(offerPageHtml(shown, variablesOf(world, person, them)));
}

/** The items that the signed-in person got by a trade. */
function receiptPage(world: SteamWorld, request: SteamRequest, person: SteamPerson) {
  const trade = world.tradesOf(person.steamId).find(({ id }) => id === request.parts[0]);
  if (trade === undefined) return errorPage('This trade does not exist.');
  const got = trade.moves.flatMap(({ to, item, newAssetid, newContextid }) =>
    to === person.steamId && newAssetid !== null
      ? [{ ...item, assetid: newAssetid, contextid: newContextid ?? item.contextid }]
      : [],
  );
  return html(receiptHtml(got, languageOf(request)));
}

function errorPage(message: string) {
  return html(`<html><body><div id="error_msg">\n\t${escapeHtml(message)}\t</div></body></html>`);
}

function tradePage(world: SteamWorld, me: SteamPerson, them: SteamPerson) {
  return html(`<html>
<head><title>Trade offer with ${escapeHtml(them.name)}</title></head>
<body>
<script type="text/javascript">
${variablesOf(world, me, them)}
</script>
</body>
</html>`);
}

/** The packages run this script to read names, contexts and hold durations. */
function variablesOf(world: SteamWorld, me: SteamPerson, them: SteamPerson): string {
  return `\tvar g_rgAppContextData = ${script(contextsOf(world, me))};
	var g_rgPartnerAppContextData = ${script(contextsOf(world, them))};
	var g_strYourPersonaName = ${script(me.name)};
	var g_strTradePartnerPersonaName = ${script(them.name)};
	var g_bTradePartnerProbation = false;
	var g_daysMyEscrow = ${me.escrowDays};
	var g_daysTheirEscrow = ${them.escrowDays};`;
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
