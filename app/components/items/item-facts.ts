import type { ItemFacts } from '#db/schema/asset.ts';
import type { ItemPicture, ItemShape, Rarity } from './item-art.tsx';

/** Steam's internal type tags: the drawing shown until the picture has loaded, and the key of the type's name. */
const types = {
  CSGO_Type_SniperRifle: { shape: 'sniper', word: 'sniperRifle' },
  CSGO_Type_Rifle: { shape: 'rifle', word: 'rifle' },
  CSGO_Type_SMG: { shape: 'smg', word: 'smg' },
  CSGO_Type_Shotgun: { shape: 'heavy', word: 'shotgun' },
  CSGO_Type_Machinegun: { shape: 'heavy', word: 'machinegun' },
  CSGO_Type_Pistol: { shape: 'pistol', word: 'pistol' },
  CSGO_Type_Knife: { shape: 'knife', word: 'knife' },
  Type_Hands: { shape: 'gloves', word: 'gloves' },
  CSGO_Tool_Sticker: { shape: 'sticker', word: 'sticker' },
  CSGO_Tool_Patch: { shape: 'sticker', word: 'patch' },
  CSGO_Type_Spray: { shape: 'graffiti', word: 'graffiti' },
  CSGO_Type_Collectible: { shape: 'pin', word: 'collectible' },
  Type_CustomPlayer: { shape: 'agent', word: 'agent' },
  CSGO_Type_WeaponCase: { shape: 'container', word: 'container' },
} as const satisfies Record<string, { shape: ItemShape; word: string }>;

const rarities = {
  Rarity_Common_Weapon: { rarity: 'base', word: 'consumer' },
  Rarity_Uncommon_Weapon: { rarity: 'industrial', word: 'industrial' },
  Rarity_Rare_Weapon: { rarity: 'milspec', word: 'milspec' },
  Rarity_Mythical_Weapon: { rarity: 'restricted', word: 'restricted' },
  Rarity_Legendary_Weapon: { rarity: 'classified', word: 'classified' },
  Rarity_Ancient_Weapon: { rarity: 'covert', word: 'covert' },
  Rarity_Common: { rarity: 'base', word: 'base' },
  Rarity_Rare: { rarity: 'milspec', word: 'high' },
  Rarity_Mythical: { rarity: 'restricted', word: 'remarkable' },
  Rarity_Legendary: { rarity: 'classified', word: 'exotic' },
  Rarity_Ancient: { rarity: 'covert', word: 'extraordinary' },
  Rarity_Contraband: { rarity: 'contraband', word: 'contraband' },
} as const satisfies Record<string, { rarity: Rarity; word: string }>;

export const typeOf = (tag: string) => types[tag as keyof typeof types];
export const rarityOf = (tag: string) => rarities[tag as keyof typeof rarities];

/** Returns the props that draw an item. */
export function pictureOf({
  iconUrl,
  typeTag,
  rarityTag,
}: Pick<ItemFacts, 'iconUrl' | 'typeTag' | 'rarityTag'>): ItemPicture {
  return {
    icon: iconUrl || null,
    shape: typeOf(typeTag)?.shape ?? 'unknown',
    rarity: rarityOf(rarityTag)?.rarity ?? 'base',
  };
}

export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
