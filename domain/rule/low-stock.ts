/** Returns whether an open rule has so few free rewards that its streamer should add some. */
export const isLowOnStock = (free: number): boolean => free <= 2;
