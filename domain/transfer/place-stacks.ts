import type { Tx } from '#db/database.ts';
import type { Asset } from '#db/schema/asset.ts';
import { shareOfRoom } from '#domain/budget/budgets.ts';
import { MAX_ITEMS_PER_OFFER } from '#domain/transfer/offer-size.ts';
import type { TakingBot } from '#domain/transfer/spread-deposit.ts';
import { readStackRoom, type StackRoom } from '#domain/transfer/stack-room.ts';

/** An offer that asks a streamer for these assets. */
interface AskedOffer {
  botId: string;
  assets: Asset[];
}

interface PlacedStacks {
  ok: true;
  /** The assets of which a bot may have several. */
  others: readonly Asset[];
  /** The bots with the room that is left beside the stacks. */
  roomBeside: readonly TakingBot[];
  /** The offers that ask for the stacks alone, so that one for which there is no room after all stops no other assets. */
  offers: readonly AskedOffer[];
}

/**
 * Chooses a bot for each asset of a class of which a bot has one at most: the one with the most room among those without
 * any. Whoever calls it holds the lock of deposits, so that no two deposits choose at once.
 */
export async function placeStacks(
  tx: Tx,
  assets: readonly Asset[],
  takingBots: readonly TakingBot[],
): Promise<PlacedStacks | { ok: false; code: 'noStackRoom' | 'botsFull' }> {
  const room = await readStackRoom(tx, assets);
  const placed: { botId: string; asset: Asset }[] = [];
  const countAt = (botId: string, appId: number) =>
    placed.filter((each) => each.botId === botId && each.asset.appId === appId).length;
  for (const asset of assets.filter(room.isSingle)) {
    const free = takingBots.filter(({ botId }) => room.hasRoom(botId, asset));
    if (free.length === 0) return { ok: false, code: 'noStackRoom' };
    const roomiest = roomiestFor(asset, free, countAt);
    if (!roomiest) return { ok: false, code: 'botsFull' };
    placed.push({ botId: roomiest.botId, asset });
    room.add(roomiest.botId, asset);
  }
  return {
    ok: true,
    others: othersOf(assets, room),
    roomBeside: takingBots.map((bot) => ({
      ...bot,
      freeIn: (appId) => bot.freeIn(appId) - countAt(bot.botId, appId),
    })),
    offers: offersOf(placed, takingBots),
  };
}

const othersOf = (assets: readonly Asset[], room: StackRoom): Asset[] =>
  assets.filter((asset) => !room.isSingle(asset));

function roomiestFor(
  { appId }: Asset,
  free: readonly TakingBot[],
  countAt: (botId: string, appId: number) => number,
): TakingBot | undefined {
  const freeIn = (bot: TakingBot) => bot.freeIn(appId) - countAt(bot.botId, appId);
  const left = (bot: TakingBot) => freeIn(bot) - bot.comingIn(appId);
  return free.filter((bot) => freeIn(bot) > 0).toSorted((one, other) => left(other) - left(one))[0];
}

/** Divides the stacks into offers of one bot and one game, each no larger than one account's share of its room. */
function offersOf(
  placed: readonly { botId: string; asset: Asset }[],
  takingBots: readonly TakingBot[],
): AskedOffer[] {
  const offers: AskedOffer[] = [];
  for (const { botId, freeIn } of takingBots) {
    const here = placed.filter((each) => each.botId === botId).map(({ asset }) => asset);
    for (const appId of new Set(here.map((asset) => asset.appId))) {
      const ofGame = here.filter((asset) => asset.appId === appId);
      const size = Math.min(MAX_ITEMS_PER_OFFER, shareOfRoom(freeIn(appId)));
      for (let from = 0; from < ofGame.length; from += size)
        offers.push({ botId, assets: ofGame.slice(from, from + size) });
    }
  }
  return offers;
}
