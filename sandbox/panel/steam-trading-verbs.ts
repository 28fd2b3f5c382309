import { z } from 'zod';
import type { Refusal } from '#sandbox/steam/state.ts';
import type { SteamWorld } from '#sandbox/steam/world.ts';
import { flag, id, ids, optionalText } from './fields.ts';
import { count } from './layout.ts';
import { type Panel, PanelRefusal } from './panel.ts';
import { offerStateWords, readItemKey, requireSteamPerson } from './steam-words.ts';

const items = ids.default([]);

/** Turns Steam's refusal into a panel refusal. */
function unwrap<Outcome extends { ok: true } | Refusal>(outcome: Outcome): Extract<Outcome, { ok: true }> {
  if (!outcome.ok) throw new PanelRefusal(409, `Steam refused: ${outcome.message.replace('<br><br>', ' ')}`);
  return outcome as Extract<Outcome, { ok: true }>;
}
/** Checks that this person sent or received the offer. */
function requireOffer(steam: SteamWorld, steamId: string, offerId: string): void {
  requireSteamPerson(steam, steamId);
  if (!steam.offersOf(steamId).some((offer) => offer.id === offerId)) {
    throw new PanelRefusal(404, `This account has no offer ${offerId}.`);
  }
}

const at = (steamId: string) => `/steam/users/${steamId}`;

/** Offers that this person sends. */
function addSendVerbs(panel: Panel): void {
  const { steam } = panel.worlds;
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
      const outcome = unwrap(
        steam.send(steamId, {
          to: fields.to,
          token: fields.token ?? partner.tradeToken,
          give: fields.give.map(readItemKey),
          receive: fields.receive.map(readItemKey),
          message: fields.message,
        }),
      );
      return {
        said: `The offer was sent to ${partner.name}.`,
        page: at(steamId),
        result: { offer: outcome.offer },
      };
    },
  );
  panel.verb(
    '/steam/users/:steamId/offers/:offerId/counter',
    'Answers a received offer with another one; items are named as for sending.',
    z.object({ give: items, receive: items, message: z.string().max(128).default('') }),
    ({ steamId, offerId }, fields) => {
      requireOffer(steam, steamId, offerId);
      const request = {
        give: fields.give.map(readItemKey),
        receive: fields.receive.map(readItemKey),
        message: fields.message,
      };
      const { offer } = unwrap(steam.counter(offerId, steamId, request));
      return { said: 'A counter-offer was sent.', page: at(steamId), result: { offer } };
    },
  );
}

/** Answers to offers. */
function addAnswerVerbs(panel: Panel): void {
  const { steam } = panel.worlds;
  panel.verb(
    '/steam/users/:steamId/offers/:offerId/accept',
    'Accepts a received offer.',
    z.object({}),
    ({ steamId, offerId }) => {
      requireOffer(steam, steamId, offerId);
      const { offer, needsConfirmation } = unwrap(steam.accept(offerId, steamId));
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
      requireOffer(steam, steamId, offerId);
      const { offer } = unwrap(steam.decline(offerId, steamId));
      return { said: 'The offer is declined.', page: at(steamId), result: { offer } };
    },
  );
  panel.verb(
    '/steam/users/:steamId/offers/:offerId/cancel',
    'Cancels a sent offer.',
    z.object({}),
    ({ steamId, offerId }) => {
      requireOffer(steam, steamId, offerId);
      const { offer } = unwrap(steam.cancel(offerId, steamId));
      return { said: 'The offer is canceled.', page: at(steamId), result: { offer } };
    },
  );
  panel.verb(
    '/steam/users/:steamId/offers/:offerId/confirm',
    "Answers on a bot's phone; `allow` false refuses.",
    z.object({ allow: flag.default(true) }),
    ({ steamId, offerId }, { allow }) => {
      requireOffer(steam, steamId, offerId);
      const { offer } = unwrap(steam.confirm(offerId, steamId, allow));
      return {
        said: allow ? 'Confirmed on the phone.' : 'Refused on the phone.',
        page: at(steamId),
        result: { offer },
      };
    },
  );
}

/** Reversals under Trade Protection. */
function addTradeVerbs(panel: Panel): void {
  const { steam } = panel.worlds;
  panel.verb(
    '/steam/trades/:tradeId/reverse',
    'Reverses one protected trade, without the 30-day trade ban.',
    z.object({}),
    ({ tradeId }) => {
      const trade = steam.trade(tradeId);
      if (!trade) throw new PanelRefusal(404, `There is no trade ${tradeId}.`);
      const { trades } = unwrap(steam.reverseTrade(tradeId));
      return { said: 'The trade is reversed.', page: `/steam/users/${trade.a}`, result: { trades } };
    },
  );
  panel.verb(
    '/steam/users/:steamId/reverse-trades',
    'Reverses all protected trades of a person, as Steam offers it, and bans them for 30 days.',
    z.object({}),
    ({ steamId }) => {
      const person = requireSteamPerson(steam, steamId);
      const { trades } = unwrap(steam.reverseTradesOf(steamId));
      const said = `${person.name} reversed ${count(trades.length, 'trade')} and may not trade for 30 days.`;
      return { said, page: `/steam/users/${steamId}`, result: { trades } };
    },
  );
}

/** All verbs for offers and trades. */
export function addSteamTradingVerbs(panel: Panel): void {
  addSendVerbs(panel);
  addAnswerVerbs(panel);
  addTradeVerbs(panel);
}
