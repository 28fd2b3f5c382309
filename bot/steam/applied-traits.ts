import { type Game, gameOf } from '#bot/steam/games.ts';

/** One line of an item's description. */
interface Line {
  value: string;
}

/** A tag with its attributes, whose values may contain the sign that ends it. */
const tags = /<(?:"[^"]*"|'[^']*'|[^>"'])*>/g;
const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", '#39': "'" };
const decoded = (text: string) =>
  text.replace(/&(amp|lt|gt|quot|apos|#39);/g, (_all, name) => entities[name] ?? '');

/** Applied to CS2 items, and the effect of a TF2 item. An owner's own words stand in quotes, so they begin otherwise. */
const applied = /^(?:Sticker|Patch|Charm|★ Unusual Effect): .+/;
const titled = /\btitle=(?:"((?:Sticker|Patch|Charm): [^"]+)"|'((?:Sticker|Patch|Charm): [^']+)')/g;
/** Returns what is applied to an item, one line each, as its descriptions tell. */
export const appliedTraits = (descriptions: readonly Line[], appId: number): string[] =>
  descriptions.flatMap(({ value }) => {
    const texts = textsOf(value);
    const found = texts.filter((text) => applied.test(text));
    const listed = found.length > 0 ? found : titlesOf(value);
    return [...listed, ...texts.flatMap((text) => ownTrait(text, gameOf(appId)))];
  });

/** The texts between the tags. A line break within a text begins no new one: an owner may have written it. */
const textsOf = (html: string): string[] =>
  html
    .replace(tags, '\u0000')
    .split('\u0000')
    .map((text) => decoded(text).replace(/\s+/g, ' ').trim())
    .filter((text) => text !== '');

/** The pictures of stickers and charms have their names as titles, where no text repeats them. */
const titlesOf = (html: string): string[] =>
  [...html.matchAll(titled)].map(([, double, single]) => decoded(double ?? single ?? ''));

/** A trait that only items of this game have. */
function ownTrait(text: string, game: Game | null): string[] {
  const [, counted] = game?.counterLines?.exec(text) ?? [];
  if (counted !== undefined) return [`Strange Part: ${counted}`];
  return game?.traitLines?.test(text) ? [text.replace(/^\( | \)$/g, '')] : [];
}
