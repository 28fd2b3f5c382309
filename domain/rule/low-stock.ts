/**
 * Returns whether an open rule has so few free rewards that its streamer should add some. A rule whose rewards nobody
 * has taken yet has as many as its streamer chose, unless it has none.
 */
export const isLowOnStock = ({ free, isUsed }: { free: number; isUsed: boolean }): boolean =>
  free === 0 || (isUsed && free <= 2);
