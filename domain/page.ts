/** One page of a list, and where the next one begins; null on the last. */
export interface Page<Row> {
  rows: Row[];
  next: string | null;
}

/** How many rows a page has when nobody says otherwise. */
export const PAGE_SIZE = 20;

/** A place in an ordered list, as text that fits into an address. */
export const encodeCursor = (place: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(place)).toString('base64url');

/** The place that a cursor means: so many parts of these kinds. Null when it is none of ours, which begins the list anew. */
export function decodeCursor<const Kinds extends readonly ('text' | 'number')[]>(
  cursor: string | null | undefined,
  kinds: Kinds,
): { [Place in keyof Kinds]: Kinds[Place] extends 'text' ? string : number } | null {
  if (!cursor || cursor.length > 1000) return null;
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
    if (!Array.isArray(place) || place.length !== kinds.length) return null;
    const fits = kinds.every((kind, index) =>
      kind === 'text' ? isText(place[index]) : Number.isSafeInteger(place[index]),
    );
    return fits ? (place as never) : null;
  } catch {
    return null;
  }
}

/** PostgreSQL refuses text with a zero character, so a cursor that was tampered with must not carry one. */
const isText = (value: unknown): boolean => typeof value === 'string' && !value.includes('\0');

/** Cuts a page out of rows that were read one further than asked: the one more says that there is a next page. */
export function pageOf<Row>(
  rows: readonly Row[],
  size: number,
  cursorOf: (row: Row) => readonly (string | number)[],
): Page<Row> {
  const shown = rows.slice(0, size);
  const last = shown.at(-1);
  return { rows: shown, next: rows.length > size && last ? encodeCursor(cursorOf(last)) : null };
}
