/** Maximum number of items in one offer. */
export const MAX_ITEMS_PER_OFFER = 100;
