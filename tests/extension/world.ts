import type { OwnOffer, OwnOffers } from '#extension/answers.ts';
import type { ItemKind, SteamPerson, TradeOffer } from '#sandbox/steam/state.ts';
import { steamKinds } from '#sandbox/steam/steam-kinds.ts';
import { showTradesAs, type TradeShape } from '#sandbox/steam/trade-shapes.ts';
import { createWorld, redline } from '#tests/sandbox/steam/stage.ts';

const [gems] = steamKinds as [ItemKind];
const code = 'K7Q2-M4XD';
const message = (words: string, shown = code) => `Keepsake ${shown} – ${words} Ref. ABCDEF`;
const nameOf = ({ appid, contextid, assetid }: { appid: number; contextid: string; assetid: string }) => ({
  appid,
  contextid,
  assetid,
});

/** A Steam with a bot of ours, an account that imitates it, a streamer and a viewer, each with items. */
export function tradeWorld(shape: Partial<TradeShape> = {}) {
  const { world, bot, streamer, viewer } = createWorld();
  const impostor = world.addUser({ name: bot.name });
  const friend = world.addUser({ name: 'Demo friend' });
  world.describe(gems);
  showTradesAs(world, shape);
  const give = (person: SteamPerson, count: number) =>
    Array.from({ length: count }, () => nameOf(world.give(person.steamId, redline)));

  const stackOf = (person: SteamPerson, pieces: number) => ({
    ...nameOf(world.give(person.steamId, { ...gems, pieces })),
    pieces,
  });

  function send(
    from: SteamPerson,
    to: SteamPerson,
    parts: {
      gives?: number;
      asks?: number /** Pieces of one stack. */;
      asksPieces?: number;
      message: string;
    },
  ): TradeOffer {
    const stacks = parts.asksPieces ? [stackOf(to, parts.asksPieces)] : [];
    const outcome = world.send(from.steamId, {
      to: to.steamId,
      token: to.tradeToken,
      give: give(from, parts.gives ?? 0),
      receive: [...give(to, parts.asks ?? 0), ...stacks],
      message: parts.message,
    });
    if (!outcome.ok) throw new Error(outcome.message);
    if (outcome.needsConfirmation) world.confirm(outcome.offer.id, from.steamId);
    return outcome.offer;
  }

  /** An offer that the bot sent, as the instance knows it. */
  function known(offer: TradeOffer, kind: OwnOffer['kind'], to: SteamPerson): OwnOffer {
    const items = kind === 'deposit' ? offer.receive : offer.give;
    return {
      kind,
      offerId: offer.id,
      code,
      bot: { name: 'keepsake_02', steamId: bot.steamId },
      partnerSteamId: to.steamId,
      items: items.map(({ appid, assetid, amount }) => ({
        key: `${appid}/${assetid}`,
        amount: Number(amount),
        name: 'AK-47 | Redline',
      })),
      ruleName: kind === 'claim' ? 'Ten hours together' : null,
      channelName: kind === 'claim' ? 'Demo_Streamer' : null,
      openUntil: '2026-11-14T18:40:00.000Z',
    };
  }

  const answerFor = (person: SteamPerson, offers: OwnOffer[]): OwnOffers => ({
    steamId: person.steamId,
    bots: [{ name: 'keepsake_02', profileName: bot.name, steamId: bot.steamId }],
    offers,
  });

  return { world, bot, streamer, viewer, impostor, friend, send, known, answerFor, message };
}
