/** One line of an item's description. */
interface Line {
  value: string;
}

const TEAM_FORTRESS = 440;
/** A tag with its attributes, whose values may contain the sign that ends it. */
const tags = /<(?:"[^"]*"|'[^']*'|[^>"'])*>/g;
const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", '#39': "'" };
const decoded = (text: string) =>
  text.replace(/&(amp|lt|gt|quot|apos|#39);/g, (_all, name) => entities[name] ?? '');

/** Applied to CS2 items, and the effect of a TF2 item. An owner's own words stand in quotes, so they begin otherwise. */
const applied = /^(?:Sticker|Patch|Charm|★ Unusual Effect): .+/;
const titled = /\btitle=(?:"((?:Sticker|Patch|Charm): [^"]+)"|'((?:Sticker|Patch|Charm): [^']+)')/g;
/** The attributes that set TF2 items of one name apart (those of TF2Autobot's SKUs). */
const ofTeamFortress =
  /^(?:Halloween: .+|Paint Color: .+|Killstreaker: .+|Sheen: .+|Festivized|Craft #\d+|\( Not Usable in Crafting \))$/;
const counter = /^\((.+): \d+\)$/;

/** Returns what is applied to an item, one line each, as its descriptions tell. */
export const appliedTraits = (descriptions: readonly Line[], appId: number): string[] =>
  descriptions.flatMap(({ value }) => {
    const texts = textsOf(value);
    const found = texts.filter((text) => applied.test(text));
    const listed = found.length > 0 ? found : titlesOf(value);
    return appId === TEAM_FORTRESS ? [...listed, ...texts.flatMap(teamFortressTrait)] : listed;
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

/** Counts change with use, so a strange part is told by its name; all strange items count kills. */
function teamFortressTrait(text: string): string[] {
  const [, counted] = counter.exec(text) ?? [];
  if (counted !== undefined) return counted === 'Kills' ? [] : [`Strange Part: ${counted}`];
  return ofTeamFortress.test(text) ? [text.replace(/^\( | \)$/g, '')] : [];
}
