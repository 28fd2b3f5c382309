/** Lock name that serializes assigning and returning one streamer's items. */
export const itemsLock = (ownerId: string): string => `items:${ownerId}`;
