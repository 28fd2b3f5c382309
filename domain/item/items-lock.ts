/** Names what must not be decided twice at once: whether a streamer's held items go onto a rule or back. */
export const itemsLock = (ownerId: string): string => `items:${ownerId}`;
