/** An asset with the facts that tell pieces of one class apart, as far as Steam reports them. */
interface Piece {
  traits?: string;
  wear?: string;
}

/**
 * Returns the index of the piece that is most like the wanted one: with the same traits and wear, else the
 * same traits, else the first; -1 if there is none.
 */
export function findClosestPiece(pieces: readonly Piece[], { traits = '', wear = '' }: Piece): number {
  const likeness = (piece: Piece) =>
    ((piece.traits ?? '') === traits ? 2 : 0) + ((piece.wear ?? '') === wear ? 1 : 0);
  const best = Math.max(...pieces.map(likeness));
  return pieces.findIndex((piece) => likeness(piece) === best);
}
