import type { Asset } from '#db/schema/asset.ts';

/** Types whose single pieces Steam merges into one stack, by game, as their tags name them: gems and sacks of gems. */
const stackedTypes: Readonly<Record<number, readonly string[]>> = { 753: ['item_class_7'] };

/** Returns the number of pieces of an asset. */
export const amountOf = ({ amount = 1 }: { amount?: number }): number => amount;

/**
 * Returns whether Steam may merge an asset with others of its class: a stack, or a piece of a type that it stacks. In a
 * game with such types, so does a piece whose type is not known.
 */
export function isStackable({
  appId,
  typeTag,
  amount = 1,
}: Pick<Asset, 'appId' | 'typeTag' | 'amount'>): boolean {
  return amount > 1 || (stackedTypes[appId]?.some((type) => typeTag === '' || typeTag === type) ?? false);
}

/** Games in which every piece is an asset of its own, so that none of a class can be a stack. */
const unstackedGames: ReadonlySet<number> = new Set([730]);

/** Returns the games of these assets in which some of their classes may be stacks. */
export function gamesWithStacks(assets: readonly Pick<Asset, 'appId' | 'typeTag' | 'amount'>[]): number[] {
  const concerned = assets.filter((asset) => !unstackedGames.has(asset.appId) || isStackable(asset));
  return [...new Set(concerned.map(({ appId }) => appId))];
}
