import { useTranslation } from '#app/components/text/translation.tsx';
import type { Language } from '#app/locales/languages.ts';
import type { ItemFacts } from '#db/schema/asset.ts';
import { appliedNames, isApplied } from '#domain/item/applied-names.ts';
import { joined } from '#platform/isolated.ts';
import { capital, rarityOf, typeOf } from './item-facts.ts';

export type ItemWords = Pick<
  ItemFacts,
  'typeLine' | 'typeTag' | 'rarityTag' | 'exterior' | 'traits' | 'traitIcons' | 'wear'
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

/** The wear among a piece's traits: under Steam's English name, and with more digits than anyone compares. */
const WEAR = /^Wear Rating: (.+)/m;
/** Traits that are told elsewhere: the wear, and a stack's amount, which is part of its name already. */
const ELSEWHERE = /^($|Wear Rating: |× )/;

/** Returns a wear with four decimals, as players name it. */
export const wearText = (wear: string, language: Language): string =>
  wear.slice(0, 6).replace('.', language === 'ru' ? ',' : '.');

/** Something applied to an item; `icon` is empty if no picture of it is known. */
export interface Applied {
  name: string;
  icon: string;
}

/**
 * Returns a piece's wear, what is applied to it, and its other traits. The wear may be among the traits;
 * one that does not lie between 0 and 1 is none.
 */
export function splitTraits({
  traits = '',
  traitIcons = '',
  wear = '',
}: Partial<Pick<ItemWords, 'traits' | 'traitIcons' | 'wear'>>): {
  wear: string;
  applied: Applied[];
  others: string[];
} {
  const icons = traitIcons.split('\n');
  const lines = traits.split('\n');
  const worn = wear || WEAR.exec(traits)?.[1] || '';
  return {
    wear: +worn >= 0 && +worn <= 1 ? worn : '',
    applied: lines.flatMap(appliedNames).map((name, place) => ({ name, icon: icons[place] ?? '' })),
    others: lines.filter((line) => !isApplied(line) && !ELSEWHERE.test(line)),
  };
}
