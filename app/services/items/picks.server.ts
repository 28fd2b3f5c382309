import { createHash } from 'node:crypto';
import { kindNameOf, type NamedKind } from '#domain/item/kind-name.ts';
import { MAX_ITEMS_PER_OFFER } from '#domain/transfer/offer-size.ts';

/** A quantity of one kind in a form: `item=KEY` and `item:KEY=3`. */
export interface Pick {
  key: string;
  quantity: number;
}

/** A short key of a kind for forms and addresses, where a hundred market names would be too long. */
export const kindKey = (kind: NamedKind & { appId: number }): string => keyOf(kind.appId, kindNameOf(kind));

/** Like the function above, for one piece of a kind whose pieces have a known wear. */
export const pieceKey = (kind: string, wear: string): string =>
  keyOf(Number.parseInt(kind, 10), `${kind} ${wear}`);

function keyOf(appId: number, name: string): string {
  const digest = createHash('sha256').update(name).digest('base64url');
  return `${appId}-${digest.slice(0, 12)}`;
}

/** A form's fields, or an address's. */
interface Fields {
  get(name: string): unknown;
  getAll(name: string): unknown[];
}

/** The form of these keys: the game, and a digest of the name. */
export const kindKeyPattern = /^\d{1,9}-[\w-]{12}$/;

/** The games of picked kinds. */
export const pickedGames = (picks: readonly Pick[]): number[] =>
  picks.map(({ key }) => Number.parseInt(key, 10));

const isKey = (value: unknown): value is string => typeof value === 'string' && kindKeyPattern.test(value);

/** A whole number without sign; null for anything else. */
function quantityOf(value: unknown, fallback: number): number | null {
  if (value === null || value === '') return fallback;
  if (typeof value !== 'string' || !/^\d{1,6}$/.test(value)) return null;
  return Number(value);
}

/** Stands for as many as there are, and is cut to their number. */
export const ALL_PIECES = 999_999;

/** The meaning of an empty quantity: with `whole`, all pieces of each picked kind. */
export const emptyQuantity = (query: URLSearchParams): number => (query.has('whole') ? ALL_PIECES : 1);

/**
 * The picked kinds of a form or an address, each once, without zero quantities; an empty quantity means `fallback`.
 * Null if a key or a quantity is invalid, which our own pages never send.
 */
export function readPicks(fields: Fields, fallback = 1): Pick[] | null {
  const picks: Pick[] = [];
  const keys = new Set(fields.getAll('item'));
  if (keys.size > 10 * MAX_ITEMS_PER_OFFER) return null;
  for (const key of keys) {
    if (!isKey(key)) return null;
    const quantity = quantityOf(fields.get(`item:${key}`), fallback);
    if (quantity === null) return null;
    if (quantity > 0) picks.push({ key, quantity });
  }
  return picks;
}

/** The picks after `less` or `more` was pressed without JavaScript, none below `least`; null if neither was. */
export function steppedPicks(query: Fields, picks: readonly Pick[], least = 1): Pick[] | null {
  const [less, more] = [query.get('less'), query.get('more')];
  const key = less ?? more;
  if (!isKey(key)) return null;
  const by = less === null ? 1 : -1;
  const stepped = (quantity: number) => ({ key, quantity: Math.max(least, quantity + by) });
  if (picks.some((pick) => pick.key === key))
    return picks.map((pick) => (pick.key === key ? stepped(pick.quantity) : pick));
  return [...picks, stepped(quantityOf(query.get(`item:${key}`), least) ?? least)];
}

/** Writes picks into an address and replaces earlier ones. */
export function putPicks(query: URLSearchParams, picks: readonly Pick[]): URLSearchParams {
  const next = new URLSearchParams([...query].filter(([name]) => !/^(item(:.*)?|less|more)$/.test(name)));
  for (const { key, quantity } of picks) {
    next.append('item', key);
    next.append(`item:${key}`, String(quantity));
  }
  return next;
}

/** Picks as hidden fields of a confirmation. */
export const pickFields = (picks: readonly Pick[]): Record<string, string | string[]> => ({
  item: picks.map((pick) => pick.key),
  ...Object.fromEntries(picks.map((pick) => [`item:${pick.key}`, String(pick.quantity)])),
});

/** Picks by key, for refilling a form. */
export const amountsOf = (picks: readonly Pick[]): Record<string, number> =>
  Object.fromEntries(picks.map(({ key, quantity }) => [key, quantity]));
