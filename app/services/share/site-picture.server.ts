import { config } from '#app/config.server.ts';
import type { Language } from '#app/locales/languages.ts';
import { translations } from '#app/services/translations.server.ts';
import type { SharePicture } from './share-picture.ts';

/** Drawn items, because these belong to nobody. */
const items = [
  { icon: null, rarity: 'covert', shape: 'rifle' },
  { icon: null, rarity: 'classified', shape: 'sniper' },
  { icon: null, rarity: 'restricted', shape: 'pistol' },
] as const;

/** The picture of the site as a whole. */
export function sitePicture(language: Language): SharePicture {
  const { t } = translations(language);
  return {
    layout: 'wide',
    above: config().publicUrl.host,
    title: t('landing.heading'),
    lines: [],
    code: null,
    cells: [],
    amount: null,
    items,
    foot: t('share.unaffiliated'),
  };
}
