import { type Asset, numberText } from './assets.ts';
import { Script } from './read-script.ts';

/** An offer as the scripts of a page have it. The number is null where the address alone has it. */
export interface Status {
  me: string;
  partner: string;
  offerId: string | null;
  give: Asset[];
  receive: Asset[];
}

const steamId = /^7656119\d{10}$/;

/** The one value that all places agree on; null if there is none, or if they differ. */
function agreed(values: readonly (string | null)[]): string | null {
  const [first = null, ...others] = new Set(values);
  return others.length === 0 ? first : null;
}

function accountOf(scripts: readonly Script[], variable: string, call: string): string | null {
  const values = scripts.flatMap((script) => [
    ...script.values(variable),
    ...script.firstArguments(call).map((argument) => script.valueOf(argument)),
  ]);
  const account = agreed(values);
  return account !== null && steamId.test(account) ? account : null;
}

/** The SteamID64 of whoever is signed in to Steam, as the scripts of any of its pages have it. */
export const readOwnAccount = (sources: readonly string[]): string | null =>
  accountOf(
    sources.map((source) => new Script(source)),
    'g_steamID',
    'UserYou.SetSteamId',
  );

function assetOf(found: unknown): Asset | null {
  const { appid, contextid, assetid, amount = 1 } = (found ?? {}) as Record<string, unknown>;
  const [game, context, id, pieces] = [appid, contextid, assetid, amount].map(numberText);
  if (game == null || context == null || id == null || pieces == null) return null;
  return { key: `${game}/${id}`, amount: Number(pieces) };
}

/** A side's assets; null for any other form, and for what has no assets, such as money. */
function assetsOf(side: unknown): Asset[] | null {
  const { assets, currency = [] } = (side ?? {}) as Record<string, unknown>;
  if (!Array.isArray(assets) || !Array.isArray(currency) || currency.length > 0) return null;
  const read = assets.map(assetOf);
  return read.every((asset) => asset !== null) ? read : null;
}

/**
 * Reads an offer from the texts of a page's scripts, in each of the three known forms: an object, a text that is parsed, and
 * accounts that are set by calls. Nothing of it is run. Null for any other form.
 */
export function readStatus(sources: readonly string[]): Status | null {
  const scripts = sources.map((source) => new Script(source));
  const found = scripts.flatMap((script) => script.data('g_rgCurrentTradeStatus'));
  const { me: mine, them: theirs } = (found[0] ?? {}) as Record<string, unknown>;
  const [give, receive] = [assetsOf(mine), assetsOf(theirs)];
  if (found.length !== 1 || !give || !receive) return null;
  const me = accountOf(scripts, 'g_steamID', 'UserYou.SetSteamId');
  const partner = accountOf(scripts, 'g_ulTradePartnerSteamID', 'UserThem.SetSteamId');
  if (me === null || partner === null || me === partner) return null;
  const begun = scripts.flatMap((script) =>
    script
      .firstArguments('BeginTradeOffer')
      .map((argument) => (argument === undefined ? undefined : script.valueOf(argument))),
  );
  const named = begun.filter((offerId) => offerId !== undefined);
  const offerId = agreed(named);
  if (named.length > 0 && offerId === null) return null;
  return { me, partner, offerId, give, receive };
}
