import { capital, rarityOf, typeOf } from '#app/components/items/item-facts.ts';
import { useTranslation } from '#app/components/text/translation.tsx';

/** Types of other games' items, and of Steam's own, which are named in filters alone. */
const otherTypes = {
  primary: 'primary',
  secondary: 'secondary',
  melee: 'melee',
  misc: 'cosmetic',
  TF_T: 'tool',
  Craft_Item: 'craftItem',
  Supply_Crate: 'crate',
  item_class_2: 'tradingCard',
  item_class_3: 'background',
  item_class_4: 'emoticon',
  item_class_5: 'boosterPack',
} as const;

const otherTypeOf = (tag: string) => otherTypes[tag as keyof typeof otherTypes];

/** A type's and a rarity's name for filters; an unknown tag is shown as it is. */
export function useTagName(): { type: (tag: string) => string; rarity: (tag: string) => string } {
  const { t } = useTranslation();
  const plain = (tag: string) => tag.replaceAll('_', ' ');
  return {
    type: (tag) => {
      const known = typeOf(tag);
      if (known) return capital(t(`items.type.${known.word}`));
      const other = otherTypeOf(tag);
      return other ? capital(t(`items.otherType.${other}`)) : plain(tag);
    },
    rarity: (tag) => {
      const known = rarityOf(tag);
      return known ? capital(t(`items.rarity.${known.word}`)) : plain(tag);
    },
  };
}
