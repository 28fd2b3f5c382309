import type { EnteredPicks } from '#app/services/pick-entries.server.ts';
import { pickedKinds } from '#app/services/picked-kinds.server.ts';
import { pickFields } from '#app/services/picks.server.ts';
import type { RuleType } from '#db/schema/rule.ts';
import { withChances } from '#domain/draw/list-chances.ts';
import type { CustodyKind } from '#domain/item/list-custody.ts';
import { weightRefusalOf } from '#domain/reward/attach-rewards.ts';

/** The rewards that were picked for a new rule, and why it cannot open with them now. */
export function firstRewards(
  custody: readonly CustodyKind[],
  { picks, weights }: EnteredPicks,
  type: RuleType,
) {
  const kinds = pickedKinds(custody, picks).map((kind) => ({
    ...kind,
    weight: type === 'random' ? weights[kind.key] : undefined,
  }));
  const complete = kinds.length === picks.length;
  const enough = complete && kinds.every(({ quantity, available }) => quantity <= available);
  return { kinds, complete, refusal: enough ? weightRefusalOf(type, kinds) : ('notEnough' as const) };
}

export type FirstRewards = ReturnType<typeof firstRewards>;

/** The picked kinds as the review lists them, with the chance of each where they are drawn. */
export const reviewedKinds = ({ kinds }: FirstRewards, type: RuleType) =>
  withChances(kinds.map((kind) => ({ ...kind, weight: kind.weight ?? 1 }))).map(
    ({ key, name, iconUrl, typeLine, typeTag, rarityTag, exterior, quantity, chance }) => ({
      ...{ key, name, iconUrl, typeLine, typeTag, rarityTag, exterior, quantity },
      chance: type === 'random' ? chance : null,
    }),
  );

const pickField = /^(item|unseen|search|order|all)$|^(item|weight):/;

/** The fields that the confirmation sends again. */
export const reviewFields = (form: FormData, { picks, weights }: EnteredPicks) => ({
  ...Object.fromEntries(
    [...form].filter(([name]) => !pickField.test(name)).map(([name, value]) => [name, String(value)]),
  ),
  ...(picks.length > 0 && pickFields(picks)),
  ...Object.fromEntries(
    picks.flatMap(({ key }) => (weights[key] === undefined ? [] : [[`weight:${key}`, String(weights[key])]])),
  ),
  confirmed: '1',
});
