/** An asset by which pieces of one class can be told apart, as far as Steam tells it. */
interface Piece {
  traits?: string;
  wear?: string;
}

/** The place of the piece that is most like the wanted one: of the same traits and wear, then traits; or the first. -1: none. */
export function findClosestPiece(pieces: readonly Piece[], { traits = '', wear = '' }: Piece): number {
  const likeness = (piece: Piece) =>
    ((piece.traits ?? '') === traits ? 2 : 0) + ((piece.wear ?? '') === wear ? 1 : 0);
  const best = Math.max(...pieces.map(likeness));
  return pieces.findIndex((piece) => likeness(piece) === best);
}
