/** One page of a list and the cursor of the next; null on the last page. */
export interface Page<Row> {
  rows: Row[];
  next: string | null;
}

/** Default number of rows per page. */
export const PAGE_SIZE = 20;

/** Encodes a position in an ordered list for use in a URL. */
export const encodeCursor = (place: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(place)).toString('base64url');

/** Decodes a cursor into parts of these kinds. Returns null for an invalid cursor, which restarts the list. */
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

/** PostgreSQL rejects NUL in text, so a tampered cursor must not contain it. */
const isText = (value: unknown): boolean => typeof value === 'string' && !value.includes('\0');

/** Builds a page from rows read with one extra, which shows whether there is a next page. */
export function pageOf<Row>(
  rows: readonly Row[],
  size: number,
  cursorOf: (row: Row) => readonly (string | number)[],
): Page<Row> {
  const shown = rows.slice(0, size);
  const last = shown.at(-1);
  return { rows: shown, next: rows.length > size && last ? encodeCursor(cursorOf(last)) : null };
}
