import { items } from '#db/schema/item.ts';

/** The facts that are shown about an item, as columns of a query over items. */
export const itemFactColumns = {
  appId: items.appId,
  name: items.name,
  marketHashName: items.marketHashName,
  iconUrl: items.iconUrl,
  typeLine: items.typeLine,
  typeTag: items.typeTag,
  rarityTag: items.rarityTag,
  exterior: items.exterior,
  traits: items.traits,
  traitIcons: items.traitIcons,
  wear: items.wear,
  amount: items.amount,
};
