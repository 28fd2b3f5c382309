import { type ItemPicture, rarities } from '#app/components/items/item-art.tsx';
import { pictureOf } from '#app/components/items/item-facts.ts';
import type { RuleType } from '#db/schema/rule.ts';
import type { KindChance } from '#domain/draw/list-chances.ts';
import { shownNameOf } from '#domain/item/market-name.ts';
import { FREE_PER_RULE, type FreeKind } from '#domain/reward/list-free-kinds.ts';

/** Number of kinds that a rule shows by name. */
const SHOWN = 4;

type Kind = Pick<
  FreeKind,
  'appId' | 'marketHashName' | 'amount' | 'name' | 'exterior' | 'iconUrl' | 'typeTag' | 'rarityTag'
>;
type DrawnKind = Kind & { chance: number | null };

/**
 * The kinds that a rule's public pages name: the next ones in order, or of random rewards the rarest with their chances
 * now, because each may be the next. What is not named is counted, with its chance if it has one.
 */
export function shownKinds(
  rule: { id: string; type: RuleType; pool: { free: number } },
  free: readonly FreeKind[],
  chances: readonly KindChance[] = [],
) {
  const next = freeOf(rule.id, free);
  const isPart = rule.pool.free > FREE_PER_RULE;
  if (rule.type === 'one') return shown(next.map(asShown), null, isPart);
  // Without chances no item is available now, and the next draw waits for one.
  const drawn = chances.length > 0 ? byName(chances) : next;
  const kinds = drawn.map(asShown).sort((one, other) => rarityOf(other) - rarityOf(one));
  const rest = kinds.slice(SHOWN).reduce((sum, { chance }) => sum + (chance ?? 0), 0);
  return chances.length > 0 ? shown(kinds, rest, false) : shown(kinds, null, isPart);
}

/** `isPart` is true if further rewards may be of further kinds. */
const shown = (kinds: readonly ReturnType<typeof asShown>[], chance: number | null, isPart: boolean) => ({
  kinds: kinds.slice(0, SHOWN),
  unnamed: kinds.length > SHOWN ? { count: kinds.length - SHOWN, chance, isPart } : null,
});

/** The rules whose next reward is drawn, by their ids. */
export const randomOnes = (rules: readonly { id: string; type: RuleType }[]): string[] =>
  rules.flatMap(({ id, type }) => (type === 'random' ? [id] : []));

/** The rule whose first item is the rarest comes first, and is drawn largest; equal ones keep their order. */
export const rarestFirst = <Rule extends { kinds: readonly { picture: ItemPicture }[] }>(
  rules: readonly Rule[],
): Rule[] => {
  const rarest = ({ kinds: [first] }: Rule) => (first ? rarityOf(first) : -1);
  return rules.toSorted((one, other) => rarest(other) - rarest(one));
};

const asShown = (kind: DrawnKind) => ({
  key: shownNameOf(kind),
  name: kind.name,
  exterior: kind.exterior,
  chance: kind.chance,
  picture: pictureOf(kind),
});

const rarityOf = ({ picture }: { picture: ItemPicture }): number => rarities.indexOf(picture.rarity);

const freeOf = (ruleId: string, free: readonly FreeKind[]): DrawnKind[] =>
  free.filter((kind) => kind.ruleId === ruleId).map((kind) => ({ ...kind, chance: null }));

/** Pieces with names or stickers are kinds of their own in a draw; under one name they have one chance here. */
function byName(chances: readonly KindChance[]): DrawnKind[] {
  const named = new Map<string, KindChance>();
  for (const kind of chances) {
    const name = shownNameOf(kind);
    named.set(name, { ...kind, chance: (named.get(name)?.chance ?? 0) + kind.chance });
  }
  return [...named.values()];
}
