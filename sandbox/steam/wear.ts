import type { ItemKind } from './state.ts';

/** The bounds of Counter-Strike's exteriors. */
const ranges: Record<string, [number, number]> = {
  'Factory New': [0, 0.07],
  'Minimal Wear': [0.07, 0.15],
  'Field-Tested': [0.15, 0.38],
  'Well-Worn': [0.38, 0.45],
  'Battle-Scarred': [0.45, 1],
};

/** The wear of a new piece: somewhere in the range of its exterior. Undefined for items without wear. */
export function wearOf({ tags }: Pick<ItemKind, 'tags'>, assetid: string): string | undefined {
  const exterior = tags.find(({ category }) => category === 'Exterior')?.localized_tag_name ?? '';
  const range = ranges[exterior];
  if (!range) return undefined;
  const share = Number((BigInt(assetid) * 7_368_787n) % 1_000_003n) / 1_000_003;
  return (range[0] + share * (range[1] - range[0])).toFixed(18);
}
