import { int, text } from '#db/dialect.ts';

/** Columns that identify a Steam asset and describe its kind. */
export const assetFacts = () => ({
  appId: int('app_id').notNull(),
  contextId: text('context_id').notNull(),
  assetId: text('asset_id').notNull(),
  classId: text('class_id').notNull(),
  instanceId: text('instance_id').notNull(),
  marketHashName: text('market_hash_name').notNull(),
  name: text('name').notNull(),
  iconUrl: text('icon_url').notNull().default(''),
  /** Steam's type line ("Covert Rifle"), the internal names of its type and rarity tags, the rarity's colour without #. */
  typeLine: text('type_line').notNull().default(''),
  typeTag: text('type_tag').notNull().default(''),
  rarityTag: text('rarity_tag').notNull().default(''),
  rarityColor: text('rarity_color').notNull().default(''),
  exterior: text('exterior').notNull().default(''),
  /**
   * The traits that distinguish this piece from others of its kind: its name, stickers or effect, one per
   * line.
   */
  traits: text('traits').notNull().default(''),
  /**
   * The pictures of what is applied to it, one per line in the order of the names in its traits: a path below Steam's
   * folder of such pictures, or nothing.
   */
  traitIcons: text('trait_icons').notNull().default(''),
  /** From 0 to 1 with nine decimals, as Steam reports it for CS2 weapons; empty if it does not. */
  wear: text('wear').notNull().default(''),
  /** Number of pieces that Steam counts as this one asset. Above one it is a stack, which moves only whole. */
  amount: int('amount').notNull().default(1),
});

/** One Steam asset as an inventory shows it. */
export interface Asset {
  appId: number;
  contextId: string;
  assetId: string;
  classId: string;
  instanceId: string;
  marketHashName: string;
  name: string;
  iconUrl: string;
  typeLine: string;
  typeTag: string;
  rarityTag: string;
  rarityColor: string;
  exterior: string;
  traits?: string;
  traitIcons?: string;
  wear?: string;
  amount?: number;
}

/** An item as displayed: names, picture, and Steam's description of its kind. */
export type ItemFacts = Pick<
  Asset,
  | 'marketHashName'
  | 'name'
  | 'iconUrl'
  | 'typeLine'
  | 'typeTag'
  | 'rarityTag'
  | 'exterior'
  | 'traits'
  | 'traitIcons'
  | 'wear'
  | 'amount'
>;
/** A kind of item: all assets with one market hash name in a game, and of special pieces those with the same traits. */
export type ItemKind = ItemFacts & { appId: number };
