import { z } from 'zod';
import type { Refusal } from '#sandbox/steam/state.ts';
import { flag, id, ids, optionalText, text, wholeNumber } from './fields.ts';
import { count } from './layout.ts';
import { type Panel, PanelRefusal } from './panel.ts';
import { offerStateWords, readItemKey, requireSteamPerson } from './steam-words.ts';

const items = ids.default([]);

/** Steam's own refusal, as a value, becomes the panel's answer. */
function must<Outcome extends { ok: true } | Refusal>(outcome: Outcome): Extract<Outcome, { ok: true }> {
  if (!outcome.ok) throw new PanelRefusal(409, `Steam refused: ${outcome.message.replace('<br><br>', ' ')}`);
  return outcome as Extract<Outcome, { ok: true }>;
}

/** What a person sets on their own account. */
function addAccountVerbs(panel: Panel): void {
  const { steam } = panel.worlds;
  panel.verb('/steam/users', 'Makes a new person.', z.object({ name: text(32) }), (_params, { name }) => {
    const person = steam.addUser({ name });
    const result = { steamId: person.steamId, tradeUrl: steam.tradeUrlOf(person) };
    return { said: `${name} is on Steam now.`, page: `/steam/users/${person.steamId}`, result };
  });
  panel.verb(
    '/steam/users/:steamId/rotate-token',
    'Makes a new trade URL; the old one stops working.',
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
    '/steam/users/:steamId/escrow',
    'Sets for how many days Steam holds what this person gives (0 to 15).',
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
    'Bans from trading for so many days of world time; 0 lifts the ban.',
    z.object({ days: wholeNumber(0, 365) }),
    ({ steamId }, { days }) => {
      requireSteamPerson(steam, steamId);
      const person = steam.setTradeBan(steamId, days === 0 ? 0 : steam.nowSeconds() + days * 86_400);
      const said =
        days === 0 ? `${person.name} may trade.` : `${person.name} may not trade for ${count(days, 'day')}.`;
      return { said, page: `/steam/users/${steamId}` };
    },
  );
  panel.verb(
    '/steam/users/:steamId/give',
    'Puts items of the catalogue (`kind` is appid/classid/instanceid) into the inventory.',
    z.object({ kind: id, count: wholeNumber(1, 100).default(1) }),
    ({ steamId }, fields) => {
      const person = requireSteamPerson(steam, steamId);
      const kind = steam
        .kinds()
        .find((one) => `${one.appid}/${one.classid}/${one.instanceid}` === fields.kind);
      if (!kind) throw new PanelRefusal(400, 'The catalogue has no such item; see /steam/catalogue.json.');
      const given = Array.from({ length: fields.count }, () => steam.give(steamId, kind));
      const said = `${person.name} has ${fields.count} × ${kind.market_name} more.`;
      return { said, page: `/steam/users/${steamId}`, result: { items: given } };
    },
  );
}

/** What a person does with offers. */
function addOfferVerbs(panel: Panel): void {
  const { steam } = panel.worlds;
  const at = (steamId: string) => `/steam/users/${steamId}`;
  const requireOffer = (steamId: string, offerId: string) => {
    requireSteamPerson(steam, steamId);
    const offer = steam.offersOf(steamId).find((one) => one.id === offerId);
    if (!offer) throw new PanelRefusal(404, `This person has no offer ${offerId}.`);
    return offer;
  };
  panel.verb(
    '/steam/users/:steamId/offers',
    'Sends an offer; `give` and `receive` name items as appid/contextid/assetid. Uses the right token unless another `token` is given.',
    z.object({
      to: id,
      token: optionalText(20),
      give: items,
      receive: items,
      message: z.string().max(128).default(''),
    }),
    ({ steamId }, fields) => {
      requireSteamPerson(steam, steamId);
      const partner = requireSteamPerson(steam, fields.to);
      const outcome = must(
        steam.send(steamId, {
          to: fields.to,
          token: fields.token ?? partner.tradeToken,
          give: fields.give.map(readItemKey),
          receive: fields.receive.map(readItemKey),
          message: fields.message,
        }),
      );
      return {
        said: `An offer is on its way to ${partner.name}.`,
        page: at(steamId),
        result: { offer: outcome.offer },
      };
    },
  );
  panel.verb(
    '/steam/users/:steamId/offers/:offerId/accept',
    'Accepts a received offer.',
    z.object({}),
    ({ steamId, offerId }) => {
      requireOffer(steamId, offerId);
      const { offer, needsConfirmation } = must(steam.accept(offerId, steamId));
      const said = needsConfirmation
        ? 'The phone asks for confirmation.'
        : `The offer is ${offerStateWords[offer.state]}.`;
      return { said, page: at(steamId), result: { offer, needsConfirmation } };
    },
  );
  panel.verb(
    '/steam/users/:steamId/offers/:offerId/decline',
    'Declines a received offer.',
    z.object({}),
    ({ steamId, offerId }) => {
      requireOffer(steamId, offerId);
      const { offer } = must(steam.decline(offerId, steamId));
      return { said: 'The offer is declined.', page: at(steamId), result: { offer } };
    },
  );
  panel.verb(
    '/steam/users/:steamId/offers/:offerId/cancel',
    'Takes back a sent offer.',
    z.object({}),
    ({ steamId, offerId }) => {
      requireOffer(steamId, offerId);
      const { offer } = must(steam.cancel(offerId, steamId));
      return { said: 'The offer is canceled.', page: at(steamId), result: { offer } };
    },
  );
  panel.verb(
    '/steam/users/:steamId/offers/:offerId/counter',
    'Answers a received offer with another one; items are named as for sending.',
    z.object({ give: items, receive: items, message: z.string().max(128).default('') }),
    ({ steamId, offerId }, fields) => {
      requireOffer(steamId, offerId);
      const request = {
        give: fields.give.map(readItemKey),
        receive: fields.receive.map(readItemKey),
        message: fields.message,
      };
      const { offer } = must(steam.counter(offerId, steamId, request));
      return { said: 'A counter offer went back.', page: at(steamId), result: { offer } };
    },
  );
  panel.verb(
    '/steam/users/:steamId/offers/:offerId/confirm',
    "Answers on a bot's phone; `allow` false refuses.",
    z.object({ allow: flag.default(true) }),
    ({ steamId, offerId }, { allow }) => {
      requireOffer(steamId, offerId);
      const { offer } = must(steam.confirm(offerId, steamId, allow));
      return {
        said: allow ? 'Confirmed on the phone.' : 'Refused on the phone.',
        page: at(steamId),
        result: { offer },
      };
    },
  );
}

/** Trade Protection's reversals. */
function addTradeVerbs(panel: Panel): void {
  const { steam } = panel.worlds;
  panel.verb(
    '/steam/trades/:tradeId/reverse',
    'Reverses one protected trade, without the ban that follows for a person.',
    z.object({}),
    ({ tradeId }) => {
      const trade = steam.trade(tradeId);
      if (!trade) throw new PanelRefusal(404, `There is no trade ${tradeId}.`);
      const { trades } = must(steam.reverseTrade(tradeId));
      return { said: 'The trade is reversed.', page: `/steam/users/${trade.a}`, result: { trades } };
    },
  );
  panel.verb(
    '/steam/users/:steamId/reverse-trades',
    'Reverses all protected trades of a person, as Steam offers it, and bans them for 30 days.',
    z.object({}),
    ({ steamId }) => {
      const person = requireSteamPerson(steam, steamId);
      const { trades } = must(steam.reverseTradesOf(steamId));
      const said = `${person.name} reversed ${count(trades.length, 'trade')} and may not trade for 30 days.`;
      return { said, page: `/steam/users/${steamId}`, result: { trades } };
    },
  );
}

/** Everything a person can do on the sandbox's Steam. */
export function addSteamVerbs(panel: Panel): void {
  addAccountVerbs(panel);
  addOfferVerbs(panel);
  addTradeVerbs(panel);
}
