export const pickerOrders = ['name', 'amount', 'rarity'] as const;

/** What a picker of kinds begins with: quantities and weights by the kinds' keys, and which kinds it shows how. */
export interface PickerEntries {
  amounts: Record<string, number>;
  weights: Record<string, number>;
  search: string;
  order: (typeof pickerOrders)[number];
  /** Also those beyond the first few. */
  all: boolean;
  /** What was picked in the other way to pick, where there are two. */
  others?: { key: string; quantity: number }[];
}

export const noEntries: PickerEntries = { amounts: {}, weights: {}, search: '', order: 'name', all: false };
