import { useState } from 'react';
import { rarities } from '#app/components/items/item-art.tsx';
import { pictureOf } from '#app/components/items/item-facts.ts';
import type { PickerEntries } from '#app/components/rules/picker-entries.ts';
import type { ItemFacts } from '#db/schema/asset.ts';

export type PickableKind = ItemFacts & { key: string; available: number };

/** Kinds that are listed before the list is unfolded, and at most: the search finds the others. */
const FOLDED = 6;
const UNFOLDED = 200;

const orders: Record<PickerEntries['order'], (one: PickableKind, other: PickableKind) => number> = {
  name: () => 0,
  amount: (one, other) => other.available - one.available,
  rarity: (one, other) => rankOf(other) - rankOf(one),
};
const rankOf = (kind: PickableKind) => rarities.indexOf(pictureOf(kind).rarity);

/** The state of a picker: which quantities of which kinds are picked, and which kinds are shown. */
export function usePicker(kinds: readonly PickableKind[], start: PickerEntries) {
  const [entries, setEntries] = useState(start);
  // The initial values of the quantity fields; a new version resets them.
  const [fields, setFields] = useState({ amounts: start.amounts, version: 0 });
  const change = (some: Partial<PickerEntries>) => {
    setEntries((before) => ({ ...before, ...some }));
    // A field that comes into view again begins with its picked quantity.
    setFields(({ version }) => ({ amounts: entries.amounts, version }));
  };
  const amountOf = ({ key, available }: PickableKind) => Math.min(entries.amounts[key] ?? 0, available);
  const words = entries.search.trim().toLowerCase();
  const matching = kinds
    .filter(({ name, marketHashName }) => `${name} ${marketHashName}`.toLowerCase().includes(words))
    .sort(orders[entries.order]);
  const max = entries.all || words !== '' ? UNFOLDED : FOLDED;
  const shown = matching.filter(({ key }, place) => place < max || (fields.amounts[key] ?? 0) > 0);
  const picked = kinds
    .map((kind) => ({ ...kind, quantity: amountOf(kind), weight: entries.weights[kind.key] ?? 1 }))
    .filter(({ quantity }) => quantity > 0);
  // Read from each answer, which leaves out items that are taken by now.
  const others = start.others ?? [];
  const sumOf = (picks: readonly { quantity: number }[]) =>
    picks.reduce((sum, { quantity }) => sum + quantity, 0);
  return {
    entries,
    change,
    amountOf,
    shown,
    /** Kinds that match and are not shown. */
    further: matching.length - shown.length,
    foldable: max === FOLDED,
    picked,
    unseen: [...picked.filter(({ key }) => !shown.some((kind) => kind.key === key)), ...others],
    total: sumOf(picked) + sumOf(others),
    kinds: picked.length + others.length,
    available: kinds.reduce((sum, { available }) => sum + available, 0),
    fieldAmount: ({ key, available }: PickableKind) => Math.min(fields.amounts[key] ?? 0, available),
    version: fields.version,
    setAmount: (key: string, amount: number) =>
      setEntries((before) => ({ ...before, amounts: { ...before.amounts, [key]: amount } })),
    setWeight: (key: string, weight: number) =>
      setEntries((before) => ({ ...before, weights: { ...before.weights, [key]: weight } })),
    /** Picks all of these kinds. */
    takeAll: (all: readonly PickableKind[]) => {
      const amounts = {
        ...entries.amounts,
        ...Object.fromEntries(all.map(({ key, available }) => [key, available])),
      };
      change({ amounts });
      setFields(({ version }) => ({ amounts, version: version + 1 }));
    },
  };
}

export type Picker = ReturnType<typeof usePicker>;
