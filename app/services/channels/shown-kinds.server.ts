import { rarities } from '#app/components/items/item-art.tsx';
import { pictureOf } from '#app/components/items/item-facts.ts';
import type { RuleType } from '#db/schema/rule.ts';
import type { FreeKind } from '#domain/reward/list-free-kinds.ts';

/** Number of kinds that a rule shows by name. */
const SHOWN = 4;

/**
 * The kinds that a rule's public pages name: the next ones in order, or of random rewards the rarest, because each may
 * be the next.
 */
export function shownKinds(rule: { id: string; type: RuleType }, free: readonly FreeKind[]) {
  const kinds = free
    .filter(({ ruleId }) => ruleId === rule.id)
    .map((kind) => ({
      key: kind.marketHashName,
      name: kind.name,
      exterior: kind.exterior,
      picture: pictureOf(kind),
    }));
  if (rule.type === 'random')
    kinds.sort((one, other) => rarities.indexOf(other.picture.rarity) - rarities.indexOf(one.picture.rarity));
  return kinds.slice(0, SHOWN);
}
