import type { ItemKind } from './state.ts';

const appid = 440;

/** Team Fortress 2's qualities and their colours; the game has no rarities. */
const qualities = {
  unique: { name: 'Unique', color: '7D6D00' },
  vintage: { name: 'Vintage', color: '476291' },
  genuine: { name: 'Genuine', color: '4D7455' },
  strange: { name: 'Strange', color: 'CF6A32' },
  unusual: { name: 'Unusual', color: '8650AC' },
} as const;

const types = {
  misc: 'Cosmetic',
  primary: 'Primary weapon',
  secondary: 'Secondary weapon',
  melee: 'Melee weapon',
  TF_T: 'Tool',
  Craft_Item: 'Craft Item',
  Supply_Crate: 'Supply Crate',
} as const;

type Sketch = {
  classid: string;
  name: string;
  type: keyof typeof types;
  quality: keyof typeof qualities;
  level: number;
  about: string;
  commodity?: boolean;
};

const sketches: Sketch[] = [
  {
    classid: '900440001',
    name: 'The Paper Crown',
    type: 'misc',
    quality: 'unique',
    level: 10,
    about: 'Folded from the front page of yesterday’s paper.\n\n<i>Heavy lies the newsprint.</i>',
  },
  {
    classid: '900440002',
    name: 'The Brass Monocle',
    type: 'misc',
    quality: 'genuine',
    level: 1,
    about: 'For seeing the other side’s flag in a better light.',
  },
  {
    classid: '900440003',
    name: 'The Lighthouse Keeper’s Cap',
    type: 'misc',
    quality: 'unusual',
    level: 42,
    about: '<span style="color:#ffd700">★ Unusual Effect: Drifting Foam</span>',
  },
  {
    classid: '900440004',
    name: 'The Quiet Cannon',
    type: 'primary',
    quality: 'strange',
    level: 20,
    about: 'Polite Cannon – Kills: 12',
  },
  {
    classid: '900440005',
    name: 'The Short Fuse',
    type: 'secondary',
    quality: 'vintage',
    level: 5,
    about: '+15% blast radius<br>-10% patience',
  },
  {
    classid: '900440006',
    name: 'The Spare Oar',
    type: 'melee',
    quality: 'unique',
    level: 15,
    about: 'On hit: the target is up the creek.',
  },
  {
    classid: '900440007',
    name: 'Odds and Ends Key',
    type: 'TF_T',
    quality: 'unique',
    level: 5,
    about: 'Opens a Crate of Odds and Ends.',
    commodity: true,
  },
  {
    classid: '900440008',
    name: 'Polished Bolt',
    type: 'Craft_Item',
    quality: 'unique',
    level: 3,
    about: 'Three of these make one slightly larger bolt.',
    commodity: true,
  },
  {
    classid: '900440009',
    name: 'Crate of Odds and Ends',
    type: 'Supply_Crate',
    quality: 'unique',
    level: 60,
    about:
      'Contains one of the following:<br>The Spare Oar<br>The Short Fuse<br><b>or an exceedingly rare hat!</b>',
    commodity: true,
  },
];

/** Invented items, described as Steam describes those of Team Fortress 2. */
export const teamFortressKinds: ItemKind[] = sketches.map(describe);

function describe(sketch: Sketch): ItemKind {
  const quality = qualities[sketch.quality];
  const isPlain = sketch.quality === 'unique';
  const name = isPlain ? sketch.name : `${quality.name} ${sketch.name.replace(/^The /, '')}`;
  const typeName = types[sketch.type];
  return {
    appid,
    classid: sketch.classid,
    instanceid: '11040547',
    currency: 0,
    background_color: '3C352E',
    icon_url: `sandbox-440-${sketch.classid}`,
    icon_url_large: `sandbox-440-${sketch.classid}-large`,
    descriptions: [{ type: 'html', value: sketch.about }],
    tradable: 1,
    name,
    name_color: quality.color,
    type: `Level ${sketch.level} ${typeName}`,
    market_name: name,
    market_hash_name: name,
    commodity: sketch.commodity ? 1 : 0,
    market_tradable_restriction: 7,
    marketable: 1,
    tags: [
      {
        category: 'Quality',
        internal_name: quality.name,
        localized_category_name: 'Quality',
        localized_tag_name: quality.name,
        color: quality.color,
      },
      {
        category: 'Type',
        internal_name: sketch.type,
        localized_category_name: 'Type',
        localized_tag_name: typeName,
      },
    ],
  };
}
