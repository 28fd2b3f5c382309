import { kindKey, pieceKey } from '#app/services/items/picks.server.ts';
import type { Database } from '#db/database.ts';
import { listWornPieces, type WornPieces } from '#domain/item/list-worn-pieces.ts';
import type { Page } from '#domain/kernel/page.ts';

/** More pieces than anyone has. */
const ALL_PIECES = 100_000;

/** With the key by which it is picked. */
export type WornPiece = WornPieces & { key: string };

/** Reads a page of a streamer's available items of known wear. */
export async function wornPiecesPage(
  db: Database,
  asked: Parameters<typeof listWornPieces>[1],
  nowMs: number,
): Promise<Page<WornPiece>> {
  const { rows, next } = await listWornPieces(db, asked, nowMs);
  return { next, rows: rows.map((piece) => ({ ...piece, key: pieceKey(kindKey(piece), piece.wear ?? '') })) };
}

/** All of them. */
export const wornPiecesOf = async (db: Database, ownerId: string, nowMs: number): Promise<WornPiece[]> =>
  (await wornPiecesPage(db, { ownerId, size: ALL_PIECES }, nowMs)).rows;
