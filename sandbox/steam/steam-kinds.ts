import type { ItemKind } from './state.ts';

/** Gems, which Steam counts as one asset however many they are. */
export const steamKinds: ItemKind[] = [
  {
    appid: 753,
    classid: '667924416',
    instanceid: '0',
    currency: 0,
    background_color: '',
    icon_url: 'demo-gems',
    descriptions: [],
    tradable: 1,
    name: 'Gems',
    name_color: '',
    type: 'Steam Gems',
    market_name: 'Gems',
    market_hash_name: '753-Gems',
    commodity: 1,
    market_tradable_restriction: 0,
    marketable: 0,
    tags: [
      {
        category: 'Game',
        internal_name: 'app_753',
        localized_category_name: 'Game',
        localized_tag_name: 'Steam',
      },
      {
        category: 'item_class',
        internal_name: 'item_class_7',
        localized_category_name: 'Item Type',
        localized_tag_name: 'Steam Gems',
      },
    ],
  },
];
