import type { Asset } from '#db/schema/asset.ts';
import { asset } from '#tests/support/fixtures.ts';

/** As long as Twitch lets a name be, in the widest letters, and names without a space to break at. */
export const names = {
  wide: 'WWWWWWWWWWWWWWWWWWWWWWWWW',
  cyrillic: 'Достопримечательность_Щщщ',
  chinese: '一二三四五六七八九十百千万億兆京垓秭穰溝澗正載極',
  arabic: 'مستخدم_تويتش_باسم_طويل_جدا',
} as const;
export type Script = keyof typeof names;
export const scripts = Object.keys(names) as Script[];

/** Names of rules may be 80 letters long. */
export const ruleNames: Record<Script, string> = {
  wide: `${names.wide.repeat(3)}WWWWW`,
  cyrillic: 'Превысокомногорассмотрительствующий вечер для тех, кто смотрел до самого конца',
  chinese: `${names.chinese}${names.chinese}${names.chinese}`.slice(0, 80),
  arabic: 'مكافأة للمشاهدين الذين تابعوا القناة منذ البداية وحتى نهاية البث الطويل',
};

const stickers = [
  'Sticker: Ninjas in Pyjamas (Holo) | Stockholm 2021, Evil Geniuses (Foil) | Antwerp 2022, ' +
    'Complexity Gaming (Gold) | Rio 2022, Virtus.pro (Holo) | Katowice 2014, Swag Foil | Paris 2023',
  'Charm: Hot Wurst',
].join('\n');
/** The pictures of some of them are known. */
const stickerIcons = ['stickers/demo/nip.png', '', 'stickers/demo/col.png'].join('\n');

/** Kinds of items: the wide one carries five stickers, a charm, an owner’s name and a wear. */
const kindOf: Record<Script, Partial<Asset> & { name: string }> = {
  wide: {
    name: 'StatTrak™ Souvenir Sawed-Off | WWWWWWWWWWWWWWWWWWWWWWWWW',
    exterior: 'Battle-Scarred',
    typeLine: 'StatTrak™ Classified Shotgun',
    typeTag: 'CSGO_Type_Shotgun',
    rarityTag: 'Rarity_Legendary_Weapon',
    traits: `"${names.wide.slice(0, 20)}"\n${stickers}`,
    traitIcons: stickerIcons,
    wear: '0.289612345',
  },
  cyrillic: {
    name: `Перчатки | ${names.cyrillic}`,
    typeTag: 'Type_Hands',
    rarityTag: 'Rarity_Ancient',
    exterior: 'Minimal Wear',
    traits: stickers,
    wear: '0.071234567',
  },
  chinese: { name: `${names.chinese}（久经沙场）`, typeLine: names.chinese, typeTag: '', rarityTag: '' },
  arabic: {
    name: names.arabic,
    typeLine: names.arabic,
    typeTag: '',
    rarityTag: '',
    traits: `"${names.arabic}"`,
  },
};

/** One piece with a long name in this script. */
export const longNamed = (script: Script): Asset =>
  asset(`${script} ${kindOf[script].name}`, { iconUrl: '', ...kindOf[script] });

/** The streamer’s inventory on Steam. */
export const inventory = scripts.map((script) => ({ ...longNamed(script), tradable: true }));
