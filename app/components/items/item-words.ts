import { useTranslation } from '#app/components/text/translation.tsx';
import type { ItemFacts } from '#db/schema/asset.ts';
import { joined } from '#platform/isolated.ts';
import { capital, rarityOf, typeOf } from './item-facts.ts';

/** Four decimals, as players name it. */
const WEAR_LENGTH = 6;

export type ItemWords = Pick<
  ItemFacts,
  'typeLine' | 'typeTag' | 'rarityTag' | 'exterior' | 'traits' | 'wear'
>;

/**
 * Returns an item's exterior, rarity, type and special traits, without its wear and what is applied to it. A text
 * without a translation stays as Steam wrote it.
 */
export function useItemText(): (item: ItemWords) => string {
  const { t } = useTranslation();
  return ({ typeLine, typeTag, rarityTag, exterior, traits }) => {
    const [type, rarity] = [typeOf(typeTag), rarityOf(rarityTag)];
    const kind =
      type && rarity
        ? capital(
            t('items.kind', {
              type: t(`items.type.${type.word}`),
              rarity: t(`items.rarity.${rarity.word}`),
            }),
          )
        : typeLine;
    return joined([exterior, kind, ...splitTraits({ traits }).others], ' · ');
  };
}

/** Steam's name of the wear among a piece's traits: in English, and with more digits than anyone compares. */
const WEAR_TRAIT = 'Wear Rating: ';
/** A stack's amount, which is part of its name already. */
const AMOUNT_TRAIT = '× ';
const isShownElsewhere = (trait: string): boolean =>
  trait.startsWith(WEAR_TRAIT) || trait.startsWith(AMOUNT_TRAIT);

export const wearText = (wear: string): string => wear.slice(0, WEAR_LENGTH);

/** Lines that name what is applied to an item, separated by commas. */
const APPLIED = /^(Sticker|Patch|Charm): (.+)/;

/** Most of what is applied are stickers, which need not be called so. */
function appliedIn(line: string): string[] {
  const [, word, names = ''] = APPLIED.exec(line) ?? [];
  if (word === undefined) return [];
  return names.split(', ').map((name) => (word === 'Sticker' ? name : `${word}: ${name}`));
}

/** Returns a piece's wear, the names of what is applied to it, and its other traits. The wear may be among the traits. */
export function splitTraits({ traits = '', wear = '' }: Partial<Pick<ItemWords, 'traits' | 'wear'>>): {
  wear: string;
  applied: string[];
  others: string[];
} {
  const lines = traits.split('\n').filter((line) => line !== '');
  const rated = lines.find((line) => line.startsWith(WEAR_TRAIT))?.slice(WEAR_TRAIT.length);
  return {
    wear: wear || rated || '',
    applied: lines.flatMap(appliedIn),
    others: lines.filter((line) => !APPLIED.test(line) && !isShownElsewhere(line)),
  };
}
