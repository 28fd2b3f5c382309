import type { EnteredPicks } from '#app/routes/rules/pick-entries.server.ts';
import { pickedKinds, pickedPieces } from '#app/services/items/picked-kinds.server.ts';
import { kindKey, pickFields } from '#app/services/items/picks.server.ts';
import { wornPiecesOf } from '#app/services/items/worn-pieces.server.ts';
import type { Database } from '#db/database.ts';
import type { RuleType } from '#db/schema/rule.ts';
import { withChances } from '#domain/draw/list-chances.ts';
import { weightRefusalOf } from '#domain/rule/attach-rewards.ts';
import { allKinds } from './available-kinds.server.ts';

type Asked = { ownerId: string; entries: EnteredPicks; type: RuleType };

/** The rewards that were picked for a new rule, single pieces too, and why it cannot open with them now. */
export async function firstRewards(db: Database, { ownerId, entries, type }: Asked, nowMs: number) {
  const { picks, weights } = entries;
  const ofKinds = pickedKinds(await allKinds(db, { ownerId }, nowMs), picks);
  const pieces =
    ofKinds.length < picks.length ? pickedPieces(await wornPiecesOf(db, ownerId, nowMs), picks) : [];
  const kinds = [
    ...pieces.map((piece) => ({ ...piece, weight: undefined })),
    ...ofKinds.map((kind) => ({ ...kind, weight: type === 'random' ? weights[kind.key] : undefined })),
  ];
  const complete = kinds.length === picks.length;
  const enough = complete && kinds.every(({ quantity, available }) => quantity <= available);
  return { kinds, complete, refusal: enough ? weightRefusalOf(type, kinds) : ('notEnough' as const) };
}

export type FirstRewards = Awaited<ReturnType<typeof firstRewards>>;

/** The picked kinds and pieces as the review lists them, with the chance of each kind where they are drawn. */
export function reviewedKinds({ kinds }: FirstRewards, type: RuleType) {
  const drawn = new Map(
    kinds.map((kind) => [kindKey(kind), { of: kindKey(kind), weight: kind.weight ?? 1 }]),
  );
  const chances = new Map(withChances([...drawn.values()]).map(({ of, chance }) => [of, chance]));
  return kinds.map(
    ({ key, name, iconUrl, typeLine, typeTag, rarityTag, exterior, traits, traitIcons, wear, quantity }) => ({
      ...{ key, name, iconUrl, typeLine, typeTag, rarityTag, exterior, traits, traitIcons, wear, quantity },
      chance: type === 'random' ? (chances.get(key) ?? null) : null,
    }),
  );
}

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
