import { kindKey, type Pick } from '#app/services/items/picks.server.ts';
import { type WornPiece, wornPiecesOf } from '#app/services/items/worn-pieces.server.ts';
import type { Database } from '#db/database.ts';
import { ALL_KINDS, type CustodyKind, listCustody } from '#domain/item/list-custody.ts';

type Asked = Parameters<typeof listCustody>[1];

/** All kinds of a streamer's items in custody, on one page. */
export async function allKinds(
  db: Database,
  asked: Omit<Asked, 'size'>,
  nowMs: number,
): Promise<CustodyKind[]> {
  return (await listCustody(db, { ...asked, size: ALL_KINDS }, nowMs)).rows;
}

/** The kinds of a streamer's available items, as the browser needs them to let somebody pick. */
export async function pickableKinds(db: Database, ownerId: string, nowMs: number) {
  return (await allKinds(db, { ownerId, filter: 'available' }, nowMs)).map((kind) => ({
    key: kindKey(kind),
    available: kind.available,
    marketHashName: kind.marketHashName,
    name: kind.name,
    iconUrl: kind.iconUrl,
    typeLine: kind.typeLine,
    typeTag: kind.typeTag,
    rarityTag: kind.rarityTag,
    exterior: kind.exterior,
    traits: kind.traits ?? '',
    traitIcons: kind.traitIcons ?? '',
    wear: kind.wear ?? '',
  }));
}

/**
 * Like the function above, with pieces of known wear one by one instead of the kinds that consist of them.
 */
export async function pickablePieces(db: Database, ownerId: string, nowMs: number) {
  return (await pickable(db, ownerId, nowMs)).ofPieces;
}

/** The picks that only the other way to pick lists, none of more than there is. */
export async function pickedElsewhere(
  db: Database,
  { ownerId, each, amounts }: { ownerId: string; each: boolean; amounts: Record<string, number> },
  nowMs: number,
): Promise<Pick[]> {
  const { kinds, worn, ofPieces } = await pickable(db, ownerId, nowMs);
  const listed = new Set((each ? ofPieces : kinds).map(({ key }) => key));
  return [...kinds, ...worn].flatMap(({ key, available }) => {
    const quantity = Math.min(amounts[key] ?? 0, available);
    return quantity > 0 && !listed.has(key) ? [{ key, quantity }] : [];
  });
}

async function pickable(db: Database, ownerId: string, nowMs: number) {
  const [kinds, worn] = await Promise.all([
    pickableKinds(db, ownerId, nowMs),
    wornPiecesOf(db, ownerId, nowMs),
  ]);
  const pieces = new Map<string, Omit<WornPiece, 'appId'>[]>();
  for (const { appId, ...piece } of worn) {
    const of = kindKey({ appId, ...piece });
    const known = pieces.get(of);
    if (known) known.push(piece);
    else pieces.set(of, [piece]);
  }
  const ofPieces = kinds.flatMap((kind): Omit<WornPiece, 'appId'>[] => {
    const own = pieces.get(kind.key) ?? [];
    const separate = own.reduce((sum, { available }) => sum + available, 0);
    return own.length > 1 && separate === kind.available ? own : [kind];
  });
  return { kinds, worn, ofPieces };
}
