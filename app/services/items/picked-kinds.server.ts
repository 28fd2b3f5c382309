import { kindKey, type Pick } from '#app/services/items/picks.server.ts';
import type { WornPiece } from '#app/services/items/worn-pieces.server.ts';
import type { NamedKind } from '#domain/item/kind-name.ts';
import type { KindAmount } from '#domain/item/oldest-of-kind.ts';

/** The picked kinds among those available, in the order of the picks; missing ones are omitted. */
export function pickedKinds<Kind extends NamedKind & { appId: number }>(
  kinds: readonly Kind[],
  picks: readonly Pick[],
): (Kind & { key: string; quantity: number })[] {
  const byKey = new Map(kinds.map((kind) => [kindKey(kind), kind]));
  return picks.flatMap(({ key, quantity }) => {
    const kind = byKey.get(key);
    return kind ? [{ ...kind, key, quantity }] : [];
  });
}

/** Returns the picked pieces of known wear that are available. */
export function pickedPieces(
  pieces: readonly WornPiece[],
  picks: readonly Pick[],
): (WornPiece & { quantity: number })[] {
  const byKey = new Map(pieces.map((piece) => [piece.key, piece]));
  return picks.flatMap(({ key, quantity }) => {
    const piece = byKey.get(key);
    return piece ? [{ ...piece, quantity }] : [];
  });
}

/** A kind's weight in a form. Anything but a whole number is out of bounds; a missing field means no weight. */
export function weightIn(form: FormData, key: string): number | undefined {
  const entered = form.get(`weight:${key}`);
  if (entered === null) return undefined;
  return /^\d{1,9}$/.test(String(entered)) ? Number(entered) : 0;
}

/** Converts the picks to the domain's names; null if no pick is available. */
export function kindAmounts(
  kinds: readonly (NamedKind & { appId: number })[],
  picks: readonly Pick[],
): KindAmount[] | null {
  const picked = pickedKinds(kinds, picks);
  if (picked.length < picks.length) return null;
  return picked.map(({ appId, marketHashName, traits = '', quantity }) => ({
    appId,
    marketHashName,
    traits,
    quantity,
  }));
}
