import { expect, test } from 'vitest';
import { inventoryItemsOf, inventoryPage } from '#bot/steam/inventory-item.ts';

const rifle = {
  appid: 730,
  contextid: '2',
  assetid: '5',
  classid: '111',
  instanceid: '7',
  name: 'Demo Rifle',
  market_hash_name: 'Demo Rifle (Field-Tested)',
  icon_url: 'icon-111',
  type: 'Classified Rifle',
  name_color: 'd2d2d2',
  tradable: 1,
  tags: [
    { category: 'Type', internal_name: 'Demo_Type_Rifle', localized_tag_name: 'Rifle' },
    {
      category: 'Rarity',
      internal_name: 'Demo_Rarity_Classified',
      localized_tag_name: 'Classified',
      color: 'd32ce6',
    },
    { category: 'Exterior', internal_name: 'Demo_Exterior_2', localized_tag_name: 'Field-Tested' },
  ],
};

/** Converts an item that Steam shows with this description; with ids alone, it has none. */
function inventoryItemOf({
  assetid,
  appid,
  contextid,
  amount,
  asset_properties,
  ...description
}: Record<string, unknown>) {
  const { classid, instanceid } = description;
  const page = inventoryPage.parse({
    success: 1,
    total_inventory_count: 1,
    assets: [{ assetid, classid, instanceid, amount }],
    descriptions: Object.keys(description).length > 2 ? [description] : [],
    asset_properties: asset_properties && [{ appid, contextid, assetid, asset_properties }],
  });
  const [item] = inventoryItemsOf(page, Number(appid), String(contextid));
  if (!item) throw new Error('the item is not shown');
  return item;
}

test('An item is shown with its name, picture, kind, rarity and exterior', () => {
  expect(inventoryItemOf(rifle)).toEqual({
    appId: 730,
    contextId: '2',
    assetId: '5',
    classId: '111',
    instanceId: '7',
    marketHashName: 'Demo Rifle (Field-Tested)',
    name: 'Demo Rifle',
    iconUrl: 'icon-111',
    typeLine: 'Classified Rifle',
    typeTag: 'Demo_Type_Rifle',
    rarityTag: 'Demo_Rarity_Classified',
    rarityColor: 'd32ce6',
    exterior: 'Field-Tested',
    traits: '',
    traitIcons: '',
    wear: '',
    amount: 1,
    tradable: true,
    facts: {
      type: { tag: 'Demo_Type_Rifle', name: 'Rifle' },
      rarity: { tag: 'Demo_Rarity_Classified', name: 'Classified', color: 'd32ce6' },
      exterior: { tag: 'Demo_Exterior_2', name: 'Field-Tested' },
    },
  });
});

test('An item that Steam describes with its ids alone is shown without a description', () => {
  const { appid, contextid, assetid, classid, instanceid } = rifle;
  const bare = inventoryItemOf({ appid, contextid, assetid, classid, instanceid });
  expect(bare).not.toHaveProperty('protectedUntilMs');
  expect(bare).toMatchObject({
    tradable: false,
    traits: '',
    marketHashName: '',
    name: '',
    iconUrl: '',
    typeLine: '',
    typeTag: '',
    rarityTag: '',
    rarityColor: '',
    exterior: '',
    facts: { type: null, rarity: null, exterior: null },
  });
});

test('Either of an item’s two names stands for a missing one', () => {
  const { name, market_hash_name, ...nameless } = rifle;
  expect(inventoryItemOf({ ...nameless, name: 'Demo Hat' })).toMatchObject({
    name: 'Demo Hat',
    marketHashName: 'Demo Hat',
  });
  expect(inventoryItemOf({ ...nameless, market_hash_name: 'Demo Hat' })).toMatchObject({
    name: 'Demo Hat',
    marketHashName: 'Demo Hat',
  });
});

test('In a game without rarities the quality is shown, in the color of the name where it has none', () => {
  const tags = [{ category: 'Quality', internal_name: 'Unique', localized_tag_name: 'Unique' }];
  expect(inventoryItemOf({ ...rifle, appid: 440, tags })).toMatchObject({
    rarityTag: 'Unique',
    rarityColor: 'd2d2d2',
    facts: { rarity: { tag: 'Unique', name: 'Unique', color: 'd2d2d2' } },
  });
  const { name_color, ...colorless } = rifle;
  expect(inventoryItemOf({ ...colorless, tags })).toMatchObject({
    rarityColor: '',
    facts: { rarity: { color: '' } },
  });
});

test('An item under protection cannot be traded, whatever Steam says of it', () => {
  expect(inventoryItemOf({ ...rifle, contextid: '16' }).tradable).toBe(false);
  expect(inventoryItemOf({ ...rifle, tradable: false }).tradable).toBe(false);
  expect(inventoryItemOf({ ...rifle, appid: 999 }).tradable).toBe(true);
});

test('An item is protected until the last date that Steam names', () => {
  const owner_descriptions = [
    {},
    { value: ' ' },
    { value: 'Protected until [date]1767614400[/date]' },
    { value: '[date]1767700800[/date] is the day' },
    { value: '[date]1767600000[/date]' },
    { value: '[date]soon[/date]' },
  ];
  expect(inventoryItemOf({ ...rifle, owner_descriptions }).protectedUntilMs).toBe(1_767_700_800_000);
  for (const none of [[], [{ value: 'Protected' }], ''])
    expect(inventoryItemOf({ ...rifle, owner_descriptions: none })).not.toHaveProperty('protectedUntilMs');
});

test('A name tag, stickers and an effect set a piece apart', () => {
  const stickers =
    '<br><div id="sticker_info" title="Sticker"><center><img src="a.png"><img src="b.png"><br>Sticker: Demo One (Holo), Demo Two</center></div>';
  const { traits } = inventoryItemOf({
    ...rifle,
    fraudwarnings: ["Name Tag: ''Demo''"],
    descriptions: [{ value: 'Exterior: Field-Tested' }, { value: stickers }, null],
  });
  expect(traits).toBe("Name Tag: ''Demo''\nSticker: Demo One (Holo), Demo Two");
  const unusual = inventoryItemOf({
    ...rifle,
    descriptions: [{ value: '★ Unusual Effect: Drifting Foam' }],
    fraudwarnings: '',
  });
  expect(unusual.traits).toBe('★ Unusual Effect: Drifting Foam');
});

test('A stack can be deposited, and its name and a trait tell its amount', () => {
  expect(inventoryItemOf({ ...rifle, amount: '500' })).toMatchObject({
    tradable: true,
    amount: 500,
    name: 'Demo Rifle × 500',
    marketHashName: 'Demo Rifle (Field-Tested)',
    traits: '× 500',
  });
  const named = { ...rifle, amount: '3', fraudwarnings: ["Name Tag: ''× 9''"] };
  expect(inventoryItemOf(named).traits).toBe("× 3\nName Tag: ''× 9''");
  expect(inventoryItemOf({ ...rifle, amount: '1' })).toMatchObject({
    amount: 1,
    name: 'Demo Rifle',
    traits: '',
  });
});

test.each(['0', '-5', '1.5', 1e300])('An asset of %s pieces cannot be deposited', (amount) => {
  expect(inventoryItemOf({ ...rifle, amount })).toMatchObject({ tradable: false, amount: 1 });
});

test('The wear that a newer inventory tells is read, and sets pieces with traits apart from each other', () => {
  const wear = { propertyid: 2, float_value: '0.0608838982880115509', name: 'Wear Rating' };
  const properties = [{ propertyid: 1, int_value: '744', name: 'Pattern Template' }, null, wear];
  expect(inventoryItemOf({ ...rifle, asset_properties: properties })).toMatchObject({
    wear: '0.060883898',
    traits: '',
  });
  const named = [...properties, { propertyid: 5, string_value: 'Demo', name: 'Name Tag' }];
  expect(inventoryItemOf({ ...rifle, asset_properties: named })).toMatchObject({
    wear: '0.060883898',
    traits: "Name Tag: ''Demo''\nWear Rating: 0.060883898",
  });
  // A warning tells the same name.
  const warned = { ...rifle, fraudwarnings: ["Name Tag: ''Warned''"], asset_properties: named };
  expect(inventoryItemOf(warned).traits).toBe("Name Tag: ''Warned''\nWear Rating: 0.060883898");
  const none = ['worn', 'Infinity', '', null].map((float_value) => [{ propertyid: 2, float_value }]);
  for (const odd of ['', [{ propertyid: '2' }], ...none])
    expect(inventoryItemOf({ ...rifle, asset_properties: odd })).toMatchObject({ wear: '', traits: '' });
});

test('What sets a piece apart is told in lines without space around them, five hundred characters at most', () => {
  const traitsOf = (...fraudwarnings: string[]) => inventoryItemOf({ ...rifle, fraudwarnings }).traits;
  expect(traitsOf(' Name Tag: One ', 'Two\n')).toBe('Name Tag: One\nTwo');
  expect(traitsOf(' ', 'Name Tag: One', '\n', '')).toBe('Name Tag: One');
  expect(traitsOf('x'.repeat(499), 'yz')).toBe(`${'x'.repeat(499)}\n`);
  const { traits } = inventoryItemOf({
    ...rifle,
    descriptions: [{ value: 'Patch: Demo \n<br>' }, { value: 'Charm: Two' }],
  });
  expect(traits).toBe('Patch: Demo\nCharm: Two');
});

test('A name tag without a name, or of blanks alone, sets nothing apart, and neither does the wear then', () => {
  const wear = { propertyid: 2, float_value: '0.5', name: 'Wear Rating' };
  const nameless = [wear, { propertyid: 5, string_value: '', name: 'Name Tag' }];
  for (const fraudwarnings of [[], [' ', '']])
    expect(inventoryItemOf({ ...rifle, fraudwarnings, asset_properties: nameless })).toMatchObject({
      traits: '',
      wear: '0.500000000',
    });
});

test('An asset and its description that name no variant belong together', () => {
  const { instanceid, ...plain } = rifle;
  expect(inventoryItemOf(plain)).toMatchObject({ name: 'Demo Rifle', instanceId: '0' });
  const page = inventoryPage.parse({
    success: true,
    assets: [
      { assetid: '5', classid: '111' },
      { assetid: '6', classid: '111', instanceid: '7' },
    ],
    descriptions: [rifle, { ...plain, instanceid: 0, name: 'Plain Rifle' }],
  });
  expect(inventoryItemsOf(page, 730, '2').map(({ name }) => name)).toEqual(['Plain Rifle', 'Demo Rifle']);
});

test('Phases of one finish are told apart by their pictures, also from a piece that bears other marks', () => {
  const knife = { ...rifle, market_hash_name: '★ Demo Knife | Doppler (Factory New)' };
  const traitsOf = (facts: object) => inventoryItemOf({ ...knife, ...facts }).traits;
  const [ruby, second] = [
    traitsOf({ icon_url: 'icon-ruby' }),
    traitsOf({ icon_url: 'icon-2', classid: '112' }),
  ];
  expect(ruby).toMatch(/^Phase by picture: [0-9A-F]{6}$/);
  expect(second).not.toBe(ruby);
  expect(traitsOf({ icon_url: 'icon-ruby', classid: '113' })).toBe(ruby);
  const named = traitsOf({ icon_url: 'icon-ruby', fraudwarnings: ["Name Tag: ''Demo''"] });
  expect(named).toBe(`Name Tag: ''Demo''\n${ruby}`);
  const gamma = { market_hash_name: '★ Demo Knife | Gamma Doppler (Minimal Wear)' };
  expect(traitsOf(gamma)).toMatch(/^Phase by picture: /);
  // Other finishes have one look, and an owner names no finish.
  for (const facts of [
    { market_hash_name: 'Demo Rifle | Dopplerish (Factory New)' },
    { market_hash_name: rifle.market_hash_name, name: 'Demo | Doppler' },
    { icon_url: '' },
    { appid: 440 },
  ])
    expect(traitsOf(facts)).toBe('');
});

test('Each game has its own names for the tags of type, rarity and exterior', () => {
  const tag = (category: string, name: string) => ({
    category,
    internal_name: name,
    localized_tag_name: name,
  });
  const tagsOf = (appid: number, ...tags: object[]) => {
    const { typeTag, rarityTag, exterior } = inventoryItemOf({ ...rifle, appid, tags });
    return { typeTag, rarityTag, exterior };
  };
  expect(tagsOf(252490, tag('itemclass', 'tshirt.long'), tag('steamcat', 'steamcat.clothing'))).toEqual({
    typeTag: 'tshirt.long',
    rarityTag: '',
    exterior: '',
  });
  const card = [tag('cardborder', 'Foil'), tag('droprate', 'droprate_2'), tag('item_class', 'item_class_2')];
  expect(tagsOf(753, ...card)).toEqual({
    typeTag: 'item_class_2',
    rarityTag: 'droprate_2',
    exterior: 'Foil',
  });
  const sword = [tag('Quality', 'unique'), tag('Rarity', 'Rarity_Rare'), tag('Type', 'wearable')];
  expect(tagsOf(570, ...sword)).toEqual({ typeTag: 'wearable', rarityTag: 'Rarity_Rare', exterior: '' });
});
