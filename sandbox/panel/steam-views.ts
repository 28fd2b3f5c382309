import type { SteamItem, TradeOffer } from '#sandbox/steam/state.ts';
import type { Panel, PanelWorlds } from './panel.ts';
import { itemKey, kindOfItem, offerStateWords, requireSteamPerson } from './steam-words.ts';

function itemView({ steam, addresses }: PanelWorlds, item: SteamItem) {
  const kind = kindOfItem(steam, item);
  return {
    ...item,
    key: itemKey(item),
    name: kind?.market_name ?? '',
    marketHashName: kind?.market_hash_name ?? '',
    tradable: kind?.tradable === 1 && item.protectedUntil === 0,
    pictureUrl: kind ? addresses.images + kind.icon_url : null,
  };
}

function offerView(worlds: PanelWorlds, steamId: string, offer: TradeOffer) {
  const needsPhone = worlds.steam.confirmationsOf(steamId).some((entry) => entry.offerId === offer.id);
  return {
    ...offer,
    direction: offer.from === steamId ? 'sent' : 'received',
    stateName: offerStateWords[offer.state],
    needsConfirmation: needsPhone,
    give: offer.give.map((item) => itemView(worlds, item)),
    receive: offer.receive.map((item) => itemView(worlds, item)),
  };
}

/** The JSON views of Steam. An offer's `give` is always what its sender gives. */
export function addSteamViews(panel: Panel): void {
  const { worlds } = panel;
  const { steam } = worlds;
  panel.json(
    '/steam/users/:steamId/inventory.json',
    'All items of a person; `protectedUntil` in Unix seconds, 0 when free.',
    ({ steamId }) => {
      requireSteamPerson(steam, steamId);
      return { items: steam.inventoryOf(steamId).map((item) => itemView(worlds, item)) };
    },
  );
  panel.json(
    '/steam/users/:steamId/offers.json',
    'Offers of a person, newest first; `direction` is sent or received, `give` is what the sender gives.',
    ({ steamId }) => {
      requireSteamPerson(steam, steamId);
      return {
        offers: steam
          .offersOf(steamId)
          .map((offer) => offerView(worlds, steamId, offer))
          .reverse(),
      };
    },
  );
  panel.json('/steam/users/:steamId/trades.json', 'Trades of a person, newest first.', ({ steamId }) => {
    requireSteamPerson(steam, steamId);
    return { trades: [...steam.tradesOf(steamId)].reverse() };
  });
  panel.json('/steam/catalogue.json', 'The kinds of items that can be given.', () => ({
    kinds: steam.kinds().map((kind) => ({
      kind: `${kind.appid}/${kind.classid}/${kind.instanceid}`,
      name: kind.market_name,
      marketHashName: kind.market_hash_name,
      tradable: kind.tradable === 1,
    })),
  }));
}
