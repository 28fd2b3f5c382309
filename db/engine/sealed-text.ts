// Text that is encrypted in the database and plain for code that reads it through drizzle.

/** Encrypts under the instance's key. `purpose` names the column: text moved to another one cannot be opened. */
export interface Seals {
  seal(text: string, purpose: string): string;
  open(sealed: string, purpose: string): string;
}

/** The prefix of sealed text. Neither a seed nor a trade token contains a colon. */
export const SEALED = 'sealed:';

let ownSeals: Seals | null = null;

/** Sets the key of this process. Without one, text is stored as it is and sealed text cannot be read. */
export function sealColumnsWith(seals: Seals): void {
  ownSeals = seals;
}

/** Text as it is stored. Empty text stands for text that was removed. */
export const sealText = (text: string, purpose: string, seals: Seals | null = ownSeals): string =>
  seals && text !== '' ? SEALED + seals.seal(text, purpose) : text;

/** Opens stored text; text that an older version stored plain is passed on. Throws under another key. */
export function openText(stored: string, purpose: string): string {
  if (!stored.startsWith(SEALED)) return stored;
  if (!ownSeals) throw new Error(`${purpose} is sealed, and this process was given no key`);
  return ownSeals.open(stored.slice(SEALED.length), purpose);
}
