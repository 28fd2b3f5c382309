import { protectedContext } from './exchange.ts';
import { type Answer, type Endpoint, json, type SteamRequest } from './http.ts';
import type { SteamItem } from './state.ts';
import { descriptionsOf, shownInstance } from './views.ts';
import type { SteamWorld } from './world.ts';

const defaultPageSize = 75;
const maxPageSize = 1000;
/** From this page size on, Steam answers 400 instead of a shorter page. */
const refusedPageSize = 2000;
const hiddenDays = 10;

export const inventoryEndpoint: Endpoint = {
  method: 'GET',
  path: /^\/inventory\/(\d+)\/(\d+)\/(\d+)\/?$/,
  target: 'inventory',
  answer: showInventory,
};

/** One page of an inventory; protected items are visible to their owner only. */
function showInventory(world: SteamWorld, request: SteamRequest): Answer {
  const [steamId = '', appid = '', contextid = ''] = request.parts;
  const owner = world.userBySteamId(steamId);
  const count = Number(request.query.count ?? defaultPageSize);
  if (owner === null || !Number.isInteger(count) || count < 1 || count >= refusedPageSize)
    return json(null, 400);
  const isOwner = request.person?.steamId === owner.steamId;
  if (!isOwner && (owner.privateInventory || contextid === protectedContext)) return json(null, 403);

  // Steam lists the newest item first.
  const items = owner.items
    .filter((item) => item.appid === Number(appid) && item.contextid === contextid)
    .filter(
      (item) => isOwner || world.state.dialect.youngItems === 'shown' || !isYoung(item, world.nowSeconds()),
    )
    .toReversed()
    .slice(world.state.dialect.silence === 'inventory' ? 1 : 0);
  if (items.length === 0) return json({ total_inventory_count: 0, success: 1, rwgrsn: -2 });
  if (world.state.dialect.inventory === 'emptyWithTotal')
    return json({ total_inventory_count: items.length, success: 1, rwgrsn: -2 });
  const start = startOf(items, request.query.start_assetid);
  const page = items.slice(start, start + Math.min(count, maxPageSize));
  const isLast = start + page.length >= items.length;
  return json({
    assets: page.map((item) =>
      isLast && item === page.at(-1) && world.state.dialect.inventory === 'oddRow' ? null : assetOf(item),
    ),
    descriptions: inventoryDescriptions(world, page),
    ...(world.state.dialect.properties !== 'absent' && { asset_properties: page.flatMap(propertiesOf) }),
    ...(!isLast && { more_items: 1, last_assetid: page.at(-1)?.assetid }),
    total_inventory_count: items.length,
    success: 1,
    rwgrsn: -2,
  });
}

const isYoung = ({ receivedAt = 0 }: SteamItem, now: number) => receivedAt > now - hiddenDays * 86_400;

function inventoryDescriptions(world: SteamWorld, page: SteamItem[]): object[] {
  const whole = descriptionsOf(world.state, page);
  if (world.state.dialect.descriptions === 'whole') return whole;
  const odd = whole.map((description) => ({
    ...description,
    tags: '',
    owner_descriptions: description.owner_descriptions ?? [{ type: 'html', value: null }, null],
  }));
  // An inventory of several kinds lacks the description of its last.
  return odd.length > 1 ? odd.slice(0, -1) : odd;
}

function propertiesOf({ appid, contextid, assetid, wear }: SteamItem): object[] {
  if (wear === undefined) return [];
  const asset_properties = [{ propertyid: 2, float_value: wear, name: 'Wear Rating' }];
  return [{ appid, contextid, assetid, asset_properties }];
}

function startOf(items: SteamItem[], after: string | undefined) {
  return after === undefined || after === '' ? 0 : items.findIndex((item) => item.assetid === after) + 1;
}

function assetOf(item: SteamItem) {
  const { appid, contextid, assetid, classid, amount } = item;
  return { appid, contextid, assetid, classid, instanceid: shownInstance(item), amount };
}
