/** One of the instance's bots. */
export interface Bot {
  name: string;
  /** The account's own name on Steam; empty until it was read. */
  profileName: string;
  steamId: string;
}

export interface OwnItem {
  /** `GAME/ID`, before the exchange. */
  key: string;
  amount: number;
  name: string;
}

/** An offer of the signed-in person that waits for them on Steam, as the instance knows it. */
export interface OwnOffer {
  kind: 'claim' | 'return' | 'deposit';
  offerId: string;
  code: string;
  bot: { name: string; steamId: string };
  /** The Steam account that it was sent to. */
  partnerSteamId: string;
  items: OwnItem[];
  /** Set for a claim. */
  ruleName: string | null;
  channelName: string | null;
  /** When the bot takes it back, as a date; null if it does not. */
  openUntil: string | null;
}

export interface OwnOffers {
  /** The Steam account that is connected on the instance; null if none is. */
  steamId: string | null;
  bots: Bot[];
  offers: OwnOffer[];
}

/** Reasons why the instance has no answer. */
export const silences = [
  'signedOut',
  'revoked',
  'unverified',
  'reload',
  'unreachable',
  'slow',
  'busy',
  'odd',
] as const;
export type Silence = (typeof silences)[number];

export type Answered<T> = { ok: true; value: T } | { ok: false; why: Silence };

export type Fields = Record<string, unknown>;

class Odd extends Error {}

const fields = (value: unknown): Fields => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Odd();
  return value as Fields;
};
const list = (value: unknown): unknown[] => {
  if (!Array.isArray(value)) throw new Odd();
  return value;
};
const text = (value: unknown): string => {
  if (typeof value !== 'string') throw new Odd();
  return value;
};
const orNull = <T>(value: unknown, read: (value: unknown) => T): T | null =>
  value === null ? null : read(value);
const number = (value: unknown): number => {
  if (!Number.isSafeInteger(value)) throw new Odd();
  return value as number;
};
const matching = (pattern: RegExp) => (value: unknown) => {
  const found = text(value);
  if (!pattern.test(found)) throw new Odd();
  return found;
};
const steamId = matching(/^7656119\d{10}$/);
const digits = matching(/^\d{1,20}$/);
const date = matching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

/** Reads with functions that throw at anything unexpected; null then, because half an answer is none. */
export function readWith<T>(document: unknown, read: (document: Fields) => T): T | null {
  try {
    return read(fields(document));
  } catch (error) {
    if (error instanceof Odd) return null;
    throw error;
  }
}

export const reading = { fields, list, text, number, orNull, date };

function itemOf(value: unknown): OwnItem {
  const item = fields(value);
  const key = `${number(item.app_id)}/${digits(item.asset_id)}`;
  return { key, amount: number(item.amount), name: text(item.name) };
}

function offerOf(value: unknown): OwnOffer {
  const { kind, ...offer } = fields(fields(value).attributes);
  if (kind !== 'claim' && kind !== 'return' && kind !== 'deposit') throw new Odd();
  const items = list(offer.items).map(itemOf);
  if (items.length === 0) throw new Odd();
  const bot = fields(offer.bot);
  return {
    kind,
    offerId: digits(offer.trade_offer_id),
    code: matching(/^[A-Z2-9]{4}-[A-Z2-9]{4}$/)(offer.security_code),
    bot: { name: text(bot.name), steamId: steamId(bot.steam_id) },
    partnerSteamId: steamId(offer.partner_steam_id),
    items,
    ruleName: orNull(offer.rule_name, text),
    channelName: orNull(offer.channel_name, text),
    openUntil: orNull(offer.open_until, date),
  };
}

function botOf(value: unknown): Bot {
  const bot = fields(value);
  return { name: text(bot.name), profileName: text(bot.profile_name), steamId: steamId(bot.steam_id) };
}

/** Reads the answer to `GET /api/v1/open-offers`; null if it has another form. */
export const readOwnOffers = (document: unknown): OwnOffers | null =>
  readWith(document, ({ data, meta }) => ({
    steamId: orNull(fields(meta).steam_id, steamId),
    bots: list(fields(meta).bots).map(botOf),
    offers: list(data).map(offerOf),
  }));
