import type { KindAmount } from '#domain/item/oldest-of-kind.ts';
import { kindKey, type Pick } from './picks.server.ts';

/** The kinds that picks mean among those that there are, in the order of the picks; what is not there is left out. */
export function pickedKinds<Kind extends { appId: number; marketHashName: string }>(
  kinds: readonly Kind[],
  picks: readonly Pick[],
): (Kind & { key: string; quantity: number })[] {
  const byKey = new Map(kinds.map((kind) => [kindKey(kind), kind]));
  return picks.flatMap(({ key, quantity }) => {
    const kind = byKey.get(key);
    return kind ? [{ ...kind, key, quantity }] : [];
  });
}

/** The weight that a form names for a kind; what is no whole number is out of bounds, and no field at all is none. */
export function weightIn(form: FormData, key: string): number | undefined {
  const entered = form.get(`weight:${key}`);
  if (entered === null) return undefined;
  return /^\d{1,9}$/.test(String(entered)) ? Number(entered) : 0;
}

/** The same as the domain's verbs take it; null when a pick means nothing that there is. */
export function kindAmounts(
  kinds: readonly { appId: number; marketHashName: string }[],
  picks: readonly Pick[],
): KindAmount[] | null {
  const picked = pickedKinds(kinds, picks);
  if (picked.length < picks.length) return null;
  return picked.map(({ appId, marketHashName, quantity }) => ({ appId, marketHashName, quantity }));
}
