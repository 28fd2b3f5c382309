import { expect, test } from 'vitest';
import type { ItemKind } from '#sandbox/steam/state.ts';
import { steamKinds } from '#sandbox/steam/steam-kinds.ts';
import { createWorld, logOnBot } from './stage.ts';

const [gems] = steamKinds as [ItemKind];

/** The bot asks the viewer for so many of five hundred gems. */
function askFor(pieces: number) {
  const { world, bot, viewer } = createWorld();
  world.describe(gems);
  const { assetid } = world.give(viewer.steamId, { ...gems, pieces: 500 });
  const receive = [{ appid: 753, contextid: '6', assetid, pieces }];
  const sent = world.send(bot.steamId, { to: viewer.steamId, token: viewer.tradeToken, give: [], receive });
  const amounts = (steamId: string) => world.inventoryOf(steamId).map((item) => [item.assetid, item.amount]);
  return { world, bot, viewer, assetid, sent, amounts };
}

test.each([0, 501, 1.5, Number.NaN])('An offer of %s of five hundred pieces is refused', (amount) => {
  expect(askFor(amount).sent.ok).toBe(false);
});

test('A stack moves whole under a new id, and a part of it leaves the rest under the old one', () => {
  for (const [amount, left] of [
    [500, []],
    [120, '380'],
  ] as const) {
    const { world, bot, viewer, assetid, sent, amounts } = askFor(amount);
    if (!sent.ok) throw new Error(sent.message);
    expect(world.accept(sent.offer.id, viewer.steamId).ok).toBe(true);
    expect(amounts(viewer.steamId)).toEqual(left.length === 0 ? [] : [[assetid, left]]);
    const [arrived] = world.inventoryOf(bot.steamId);
    expect(arrived).toMatchObject({ amount: String(amount) });
    expect(arrived?.assetid).not.toBe(assetid);
  }
});

test('Where stacks merge, the stack that is there grows, and the id that the trade tells exists nowhere', () => {
  const { world, bot, viewer, sent, amounts } = askFor(500);
  world.speak({ stacks: 'merged' });
  const own = world.give(bot.steamId, { ...gems, pieces: 37 });
  if (!sent.ok) throw new Error(sent.message);
  const accepted = world.accept(sent.offer.id, viewer.steamId);
  if (!accepted.ok || !accepted.trade) throw new Error('not accepted');
  expect(amounts(bot.steamId)).toEqual([[own.assetid, '537']]);
  expect(accepted.trade.moves[0]?.newAssetid).not.toBe(own.assetid);
});

test('A reversal takes as many pieces out of the stack that they joined', () => {
  const { world, bot, viewer, sent, amounts } = askFor(500);
  world.speak({ stacks: 'merged', protectedGames: 'all' });
  if (!sent.ok) throw new Error(sent.message);
  const accepted = world.accept(sent.offer.id, viewer.steamId);
  if (!accepted.ok || !accepted.trade) throw new Error('not accepted');
  expect(world.reverseTrade(accepted.trade.id).ok).toBe(true);
  expect(amounts(bot.steamId)).toEqual([]);
  expect(amounts(viewer.steamId).map(([, amount]) => amount)).toEqual(['500']);
});

test('Inventories, offers and trades name the amount', async () => {
  const { world, viewer, bot, client } = await logOnBot();
  world.describe(gems);
  const { assetid } = world.give(viewer.steamId, { ...gems, pieces: 500 });
  const receive = [{ appid: 753, contextid: '6', assetid }];
  const sent = world.send(bot.steamId, { to: viewer.steamId, token: viewer.tradeToken, give: [], receive });
  if (!sent.ok) throw new Error(sent.message);
  const listed = await client.api('IEconService/GetTradeOffers', { get_sent_offers: 1 });
  expect(listed.trade_offers_sent[0].items_to_receive).toMatchObject([{ assetid, amount: '500' }]);
});
