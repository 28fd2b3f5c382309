export const pickerOrders = ['name', 'amount', 'rarity'] as const;

/**
 * The initial state of a picker of kinds: quantities and weights by the kinds' keys, and which kinds it shows
 * how.
 */
export interface PickerEntries {
  amounts: Record<string, number>;
  weights: Record<string, number>;
  search: string;
  order: (typeof pickerOrders)[number];
  /** Includes those beyond the first few. */
  all: boolean;
  /** The entries of the other way to pick, if there are two. */
  others?: { key: string; quantity: number }[];
}

export const noEntries: PickerEntries = { amounts: {}, weights: {}, search: '', order: 'name', all: false };
