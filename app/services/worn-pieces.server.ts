import type { Database } from '#db/database.ts';
import type { ItemFacts } from '#db/schema/asset.ts';
import { listWornPieces } from '#domain/item/list-worn-pieces.ts';
import { pieceKey } from './picks.server.ts';

/** Items in custody that are worn alike, which is one in practice. */
export type WornPiece = ItemFacts & { appId: number; key: string; available: number };

/** A streamer's available items that Steam tells apart by how worn they are, each with the key by which it is picked. */
export async function wornPiecesOf(db: Database, ownerId: string, nowMs: number): Promise<WornPiece[]> {
  const pieces = new Map<string, WornPiece>();
  for (const piece of await listWornPieces(db.read, ownerId, nowMs)) {
    const key = pieceKey(piece, piece.wear);
    pieces.set(key, { ...piece, key, available: (pieces.get(key)?.available ?? 0) + 1 });
  }
  return [...pieces.values()];
}
