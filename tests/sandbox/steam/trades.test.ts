import { once } from 'node:events';
import TradeOfferManager from 'steam-tradeoffer-manager';
import type TradeOffer from 'steam-tradeoffer-manager/lib/classes/TradeOffer.js';
import { expect, test } from 'vitest';
import { createWorld, hat, logOnBot, redline } from './stage.ts';

const { ETradeOfferState: state } = TradeOfferManager;
type Stage = Awaited<ReturnType<typeof logOnBot>>;
type Changed = Promise<[TradeOffer, number]>;

/** The streamer's item is deposited with the bot. */
async function deposit({ world, streamer, client }: Stage, kind = redline) {
  const item = world.give(streamer.steamId, kind);
  const offer = client.offerTo(streamer);
  offer.addTheirItem(item as never);
  await client.send(offer);
  const changed = once(client.manager, 'sentOfferChanged') as Changed;
  world.accept(offer.id ?? '', streamer.steamId);
  return { item, offer: (await changed)[0] };
}

test('Items of a giver without an authenticator are held, and delivered after the hold', async () => {
  const stage = await logOnBot();
  const { world, bot, streamer, client, passDays } = stage;
  world.setEscrowDays(streamer.steamId, 15);
  const durations = await client.api('IEconService/GetTradeHoldDurations', {
    steamid_target: streamer.steamId,
    trade_offer_access_token: streamer.tradeToken,
  });
  expect(durations.their_escrow.escrow_end_duration_seconds).toBe(15 * 86_400);
  expect(durations.my_escrow.escrow_end_duration_seconds).toBe(0);

  const { item, offer } = await deposit(stage);
  expect(offer.state).toBe(state.InEscrow);
  expect(Math.round((offer.escrowEnds?.getTime() ?? 0) / 1000)).toBe(
    world.offer(offer.id ?? '')?.escrowEndsAt,
  );
  expect((await client.exchangeOf(offer)).status).toBe(10);
  expect(world.inventoryOf(streamer.steamId)).toEqual([]);
  expect(world.inventoryOf(bot.steamId)).toEqual([]);

  const released = once(client.manager, 'sentOfferChanged') as Changed;
  passDays(15);
  await client.poll();
  expect((await released)[0].state).toBe(state.Accepted);
  const { status, received } = await client.exchangeOf(offer);
  expect(status).toBe(3);
  expect(received).toMatchObject([{ assetid: item.assetid, new_contextid: '16' }]);
});

test('Cancelling a held trade returns everything', async () => {
  const stage = await logOnBot();
  const { world, streamer, client } = stage;
  world.setEscrowDays(streamer.steamId, 15);
  const { item, offer } = await deposit(stage);
  expect(world.decline(offer.id ?? '', streamer.steamId).ok).toBe(true);
  expect((await client.exchangeOf(offer)).status).toBe(11);
  expect(world.inventoryOf(streamer.steamId)).toMatchObject([{ assetid: item.assetid, contextid: '2' }]);
});

test('A reversal ends the trade with 12, and a linked second trade returns the item', async () => {
  const stage = await logOnBot();
  const { world, bot, streamer, client } = stage;
  const { offer } = await deposit(stage);
  const [trade] = world.trades();
  const reversed = world.reverseTrade(trade?.id ?? '');
  expect(reversed.ok).toBe(true);

  const { status, received } = await client.exchangeOf(offer);
  expect(status).toBe(12);
  const history = await client.api('IEconService/GetTradeHistory', { max_trades: 10, include_total: 1 });
  expect(history.total_trades).toBe(2);
  expect(history.trades[0]).toMatchObject({
    status: 3,
    rollback_trade: trade?.id,
    steamid_other: streamer.steamId,
    assets_given: [{ assetid: received[0]?.new_assetid, contextid: '16', new_contextid: '2' }],
  });
  expect(history.trades[1]).toMatchObject({ tradeid: trade?.id, status: 12 });
  await client.poll();
  expect(world.offer(offer.id ?? '')?.state).toBe(state.Accepted);
  expect(world.inventoryOf(bot.steamId)).toEqual([]);
  expect(world.inventoryOf(streamer.steamId)).toMatchObject([{ contextid: '2', protectedUntil: 0 }]);
});

test('Reversing trades bans a person from trading for thirty days', async () => {
  const stage = await logOnBot();
  const { world, streamer, passDays } = stage;
  await deposit(stage);
  await deposit(stage);
  const reversed = world.reverseTradesOf(streamer.steamId);
  expect(reversed.ok && reversed.trades).toHaveLength(2);
  const untilBan = () => (world.userBySteamId(streamer.steamId)?.tradeBannedUntil ?? 0) - world.nowSeconds();
  expect(untilBan()).toBeGreaterThan(29 * 86_400);
  passDays(31);
  expect(untilBan()).toBeLessThan(0);
});

test('A settled trade and a trade of another game cannot be reversed', async () => {
  const stage = await logOnBot();
  const { world, client, passDays } = stage;
  const first = await deposit(stage);
  const status = await client.api('IEconService/GetTradeStatus', { tradeid: first.offer.tradeID ?? '' });
  expect(status.trades[0].time_settlement - world.nowSeconds()).toBeGreaterThan(7 * 86_400 - 10);
  const second = await deposit(stage, hat);
  expect(world.reverseTrade(second.offer.tradeID ?? '')).toMatchObject({ ok: false });
  passDays(7);
  expect(world.reverseTrade(first.offer.tradeID ?? '')).toMatchObject({ ok: false });
});

test('Trade history is paginated from new to old', async () => {
  const stage = await logOnBot();
  for (let count = 0; count < 3; count += 1) await deposit(stage, hat);
  const ids = stage.world.trades().map((trade) => trade.id);
  const history = (query: object) =>
    stage.client.api('IEconService/GetTradeHistory', { max_trades: 2, ...query });
  const first = await history({});
  expect(first.trades.map((trade: { tradeid: string }) => trade.tradeid)).toEqual([ids[2], ids[1]]);
  expect(first.more).toBe(true);
  const rest = await history({ start_after_tradeid: ids[1] ?? '' });
  expect(rest.trades.map((trade: { tradeid: string }) => trade.tradeid)).toEqual([ids[0]]);
  expect(rest.more).toBe(false);
});

test('An offer expires after fourteen days of world time, confirmed or not', async () => {
  const stage = await logOnBot();
  const { world, bot, viewer, client, passDays } = stage;
  const unconfirmed = client.offerTo(viewer);
  unconfirmed.addMyItem(world.give(bot.steamId, hat) as never);
  await client.send(unconfirmed);
  const asked = client.offerTo(viewer);
  asked.addTheirItem(world.give(viewer.steamId, hat) as never);
  await client.send(asked);
  await client.poll();
  passDays(13.9);
  expect(world.offers().map((offer) => offer.state)).toEqual([state.CreatedNeedsConfirmation, state.Active]);
  const changes: [string | null | undefined, number][] = [];
  client.manager.on('sentOfferChanged', (offer) => changes.push([offer.id, offer.state]));
  passDays(0.1);
  await client.poll();
  expect(changes.sort()).toEqual([
    [unconfirmed.id, state.Expired],
    [asked.id, state.Expired],
  ]);
  expect(world.confirmationsOf(bot.steamId)).toEqual([]);
});

test('Declining, cancelling and countering end an offer in their own states', async () => {
  const { world, streamer, viewer } = createWorld();
  const name = ({ appid, contextid, assetid }: { appid: number; contextid: string; assetid: string }) => ({
    appid,
    contextid,
    assetid,
  });
  const send = () => {
    const give = [name(world.give(streamer.steamId, hat))];
    const sent = world.send(streamer.steamId, {
      to: viewer.steamId,
      token: viewer.tradeToken,
      give,
      receive: [],
    });
    if (!sent.ok) throw new Error(sent.message);
    return sent.offer;
  };
  const [declined, canceled, countered] = [send(), send(), send()];
  expect(world.decline(declined.id, viewer.steamId).ok).toBe(true);
  expect(world.decline(canceled.id, streamer.steamId).ok).toBe(false);
  expect(world.cancel(canceled.id, streamer.steamId).ok).toBe(true);
  const answer = world.counter(countered.id, viewer.steamId, {
    give: [],
    receive: countered.give.map(name),
    message: 'rather this',
  });
  expect(answer).toMatchObject({ ok: true, offer: { from: viewer.steamId, to: streamer.steamId, state: 2 } });
  expect(world.offers().map((offer) => offer.state)).toEqual([
    state.Declined,
    state.Canceled,
    state.Countered,
    state.Active,
  ]);
  expect(world.accept(declined.id, viewer.steamId)).toMatchObject({ ok: false, eresult: 11 });
});

test('Other people’s offers are neither shown nor usable', async () => {
  const { world, streamer, viewer, client } = await logOnBot();
  const item = world.give(streamer.steamId, hat);
  const sent = world.send(streamer.steamId, {
    to: viewer.steamId,
    token: viewer.tradeToken,
    give: [{ appid: 440, contextid: '2', assetid: item.assetid }],
    receive: [],
  });
  if (!sent.ok) throw new Error(sent.message);
  expect(await client.api('IEconService/GetTradeOffer', { tradeofferid: sent.offer.id })).toEqual({});
  const all = await client.api('IEconService/GetTradeOffers', { get_sent_offers: 1, get_received_offers: 1 });
  expect(all).toMatchObject({ trade_offers_sent: [], trade_offers_received: [] });
});
