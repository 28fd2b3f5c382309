import { kindKey, pieceKey } from '#app/services/picks.server.ts';
import type { Database } from '#db/database.ts';
import { type CustodyKind, listCustody } from '#domain/item/list-custody.ts';
import { listWornPieces } from '#domain/item/list-worn-pieces.ts';

/** More kinds than anyone has. */
const ALL_KINDS = 10_000;

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
    traits: kind.traits,
    wear: kind.wear,
  }));
}

/** The same, with the pieces that are told apart by how worn they are instead of kinds that consist of such pieces. */
export async function pickablePieces(db: Database, ownerId: string, nowMs: number) {
  const [kinds, worn] = await Promise.all([
    pickableKinds(db, ownerId, nowMs),
    listWornPieces(db.read, ownerId, nowMs),
  ]);
  const pieces = new Map<string, Map<string, (typeof kinds)[number]>>();
  for (const { appId, ...piece } of worn) {
    const of = kindKey({ appId, ...piece });
    const [key, own] = [pieceKey({ appId, ...piece }, piece.wear), pieces.get(of) ?? new Map()];
    own.set(key, { ...piece, key, available: (own.get(key)?.available ?? 0) + 1 });
    pieces.set(of, own);
  }
  return kinds.flatMap((kind) => {
    const own = [...(pieces.get(kind.key)?.values() ?? [])];
    const separate = own.reduce((sum, { available }) => sum + available, 0);
    return own.length > 1 && separate === kind.available ? own : [kind];
  });
}
