import { z } from 'zod';
import { flag, id, text, wholeNumber } from './fields.ts';
import { count } from './layout.ts';
import { type Panel, PanelRefusal } from './panel.ts';
import { requireSteamPerson } from './steam-words.ts';

/** Settings of a person's account. */
function addAccountVerbs(panel: Panel): void {
  const { steam } = panel.worlds;
  panel.verb(
    '/steam/users',
    'Creates a Steam account.',
    z.object({ name: text(32) }),
    (_params, { name }) => {
      const person = steam.addUser({ name });
      const result = { steamId: person.steamId, tradeUrl: steam.tradeUrlOf(person) };
      return { said: `${name} is on Steam now.`, page: `/steam/users/${person.steamId}`, result };
    },
  );
  panel.verb(
    '/steam/users/:steamId/rotate-token',
    'Creates a new trade URL; the old one stops working.',
    z.object({}),
    ({ steamId }) => {
      requireSteamPerson(steam, steamId);
      const person = steam.rotateTradeToken(steamId);
      const result = { tradeUrl: steam.tradeUrlOf(person) };
      return { said: `${person.name} has a new trade URL.`, page: `/steam/users/${steamId}`, result };
    },
  );
  panel.verb(
    '/steam/users/:steamId/private',
    'Makes the inventory private, or with `private` false public.',
    z.object({ private: flag }),
    ({ steamId }, fields) => {
      requireSteamPerson(steam, steamId);
      const person = steam.setPrivateInventory(steamId, fields.private);
      const said = `The inventory of ${person.name} is ${fields.private ? 'private' : 'public'}.`;
      return { said, page: `/steam/users/${steamId}` };
    },
  );
  panel.verb(
    '/steam/users/:steamId/give',
    'Puts items of the catalogue (`kind` is appid/classid/instanceid) into the inventory, each of so many `pieces`.',
    z.object({
      kind: id,
      count: wholeNumber(1, 100).default(1),
      pieces: wholeNumber(1, 1_000_000).default(1),
    }),
    ({ steamId }, fields) => {
      const person = requireSteamPerson(steam, steamId);
      const kind = steam
        .kinds()
        .find((one) => `${one.appid}/${one.classid}/${one.instanceid}` === fields.kind);
      if (!kind) throw new PanelRefusal(400, 'The catalogue has no such item; see /steam/catalogue.json.');
      const given = Array.from({ length: fields.count }, () =>
        steam.give(steamId, { ...kind, pieces: fields.pieces }),
      );
      const said = `${person.name} has ${fields.count * fields.pieces} × ${kind.market_name} more.`;
      return { said, page: `/steam/users/${steamId}`, result: { items: given } };
    },
  );
}

/** Obstacles to trading: a hold, an unacknowledged notice, a ban. */
function addObstacleVerbs(panel: Panel): void {
  const { steam } = panel.worlds;
  panel.verb(
    '/steam/users/:steamId/escrow',
    'Sets how many days Steam holds items that this account gives (0 to 15).',
    z.object({ days: wholeNumber(0, 15) }),
    ({ steamId }, { days }) => {
      requireSteamPerson(steam, steamId);
      const person = steam.setEscrowDays(steamId, days);
      const said =
        days === 0
          ? `Nothing is held for ${person.name}.`
          : `Trades of ${person.name} are held ${count(days, 'day')}.`;
      return { said, page: `/steam/users/${steamId}` };
    },
  );
  panel.verb(
    '/steam/users/:steamId/acknowledge',
    'Acknowledges the Trade Protection notice, without which an account cannot send offers.',
    z.object({}),
    ({ steamId }) => {
      requireSteamPerson(steam, steamId);
      const { name } = steam.acknowledgeProtection(steamId);
      return { said: `${name} acknowledged the notice.`, page: `/steam/users/${steamId}` };
    },
  );
  panel.verb(
    '/steam/users/:steamId/trade-ban',
    'Bans an account from trading for a number of days of world time; 0 lifts the ban.',
    z.object({ days: wholeNumber(0, 365) }),
    ({ steamId }, { days }) => {
      requireSteamPerson(steam, steamId);
      const person = steam.setTradeBan(steamId, days === 0 ? 0 : steam.nowSeconds() + days * 86_400);
      const said =
        days === 0 ? `${person.name} may trade.` : `${person.name} may not trade for ${count(days, 'day')}.`;
      return { said, page: `/steam/users/${steamId}` };
    },
  );
}

/** All verbs for Steam accounts. */
export function addSteamAccountVerbs(panel: Panel): void {
  addAccountVerbs(panel);
  addObstacleVerbs(panel);
}
