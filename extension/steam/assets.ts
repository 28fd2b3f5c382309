/**
 * An asset as `GAME/ID`, without its context: Steam moves an item under Trade Protection to another one without changing its
 * id. The amount is null where a page does not say it.
 */
export interface Asset {
  key: string;
  amount: number | null;
}

const isNumber = (text: string): boolean => /^\d{1,20}$/.test(text);

/** A number that a page has in quotes or bare, as text; null if it is neither, or too large to be exact. */
export function numberText(value: unknown): string | null {
  if (typeof value === 'string') return isNumber(value) ? value : null;
  return Number.isSafeInteger(value) && Number(value) >= 0 ? String(value) : null;
}

/** Returns whether two lists have the same assets, each once. */
export function haveSameKeys(one: readonly string[], other: readonly string[]): boolean {
  const [all, found] = [new Set(one), new Set(other)];
  if (all.size !== one.length || found.size !== other.length) return false;
  return all.size === found.size && one.every((key) => found.has(key));
}

const STEAM_ID_BASE = 76_561_197_960_265_728n;

/** The SteamID64 of the 32-bit number in `data-miniprofile`; null if it is none. */
export const steamIdOf = (accountId: string | null | undefined): string | null =>
  accountId && /^\d{1,10}$/.test(accountId) ? String(STEAM_ID_BASE + BigInt(accountId)) : null;
