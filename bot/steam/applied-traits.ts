import { type Game, gameOf } from '#bot/steam/games.ts';
import { appliedNames } from '#domain/item/applied-names.ts';

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
    return [...listedIn(value, texts), ...texts.flatMap((text) => ownTrait(text, gameOf(appId)))];
  });

/**
 * Returns the picture of each thing that is applied to an item, in the order of the names in its traits: a path below
 * Steam's folder of them. Where one has no picture, or the pictures cannot be told apart, it is empty.
 */
export const appliedIcons = (descriptions: readonly Line[]): string[] =>
  descriptions.flatMap(({ value }) => {
    const names = listedIn(value, textsOf(value)).flatMap(appliedNames);
    const pictures = [...value.matchAll(tags)].flatMap(([tag]) =>
      /^<img\s/i.test(tag) ? pictureIn(tag) : [],
    );
    return names.map((_, place) => (pictures.length === names.length && pictures[place]) || '');
  });

/** The lines that name what is applied. */
function listedIn(html: string, texts: readonly string[]): string[] {
  const found = texts.filter((text) => applied.test(text));
  return found.length > 0 ? found : titlesOf(html);
}

const MAX_ICON_LENGTH = 200;
const source = /\ssrc=(?:"([^"]*)"|'([^']*)')/i;
/** Steam's own hosts of the pictures that the game brings along; all of them have the same folders. */
const picture =
  /^https:\/\/(?:cdn\.(?:[a-z]+\.)?steamstatic\.com|steamcdn-a\.akamaihd\.net)\/apps\/730\/icons\/econ\/((?:stickers|patches|keychains)\/(?:[\w-]+\/)*[\w.-]+\.png)$/;

/** The path of the picture in a tag; empty if it is none of Steam's. */
function pictureIn(tag: string): string {
  const [, double, single] = source.exec(tag) ?? [];
  const [, path = ''] = picture.exec(double ?? single ?? '') ?? [];
  return path.length <= MAX_ICON_LENGTH ? path : '';
}

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
