import { expect, onTestFinished } from 'vitest';
import { startSteam } from '#bot/steam/start-steam.ts';
import { newId } from '#domain/kernel/id.ts';
import { day } from '#domain/kernel/time.ts';
import { returnItems } from '#domain/transfer/return-items.ts';
import type { SteamCredentials } from '#platform/steam-bots-file.ts';
import { openContextOf } from '#sandbox/steam/catalogue.ts';
import type { Dialect } from '#sandbox/steam/dialects.ts';
import { issueToken } from '#sandbox/steam/tokens.ts';
import { asInProduction } from '#tests/support/as-in-production.ts';
import { letLeaseRunOut } from '#tests/support/bot-process.ts';
import { claim, holdItem, promiseReward } from '#tests/support/promised-reward.ts';
import {
  askForDeposit,
  hurriedPace,
  itemsOf,
  rewardOf,
  rifle,
  type StackedKind,
  type SteamStage,
  setSteamStage,
  transferIn,
  until,
} from '#tests/support/steam-stage.ts';

/** The shapes in which Steam answers during a play, and what differs in it because of them. */
export interface Play {
  shape: Partial<Dialect>;
  kind?: StackedKind;
  /** The kind that is deposited while others are returned, if a bot has only one of those. */
  deposited?: typeof rifle;
  /** False if the dialect itself leaves open whether an offer was sent. */
  losesAnswers?: boolean;
  /** Number of sendings until Steam takes the first offer. */
  attempts?: number;
  /** Number of claims or returned items whose offers wait for the authenticator at once. */
  atOnce?: number;
  /** A second bot runs, and stands so in the report once the first is ready. */
  secondBot?: string;
}

/** Offers are confirmed together, and a failure is not tried again during a play. */
const together = {
  ...hurriedPace,
  transfers: { ...hurriedPace.transfers, confirmTogetherMs: 10_000, confirmRetryMs: 600_000 },
};

/** A stage in the play's dialect, and the bots that start on it. */
async function setPlay({ shape, atOnce = 1, secondBot, losesAnswers = true }: Play) {
  const stage = await setSteamStage();
  const { world } = stage;
  world.speak(shape);
  // A package rejects outside of our calls, which would end the process.
  if (secondBot !== undefined) {
    const ending = asInProduction();
    onTestFinished(() => expect(ending).toEqual([]));
  }
  const all = [stage.credentials, ...(secondBot === undefined ? [] : [addSecondBot(stage)])];
  const start = async () => {
    const part = startSteam(stage.deps(all), atOnce > 1 ? together : hurriedPace);
    onTestFinished(() => part.stop());
    await until(() => part.report()['steam: bot-1']?.state === 'ready', 'a ready bot');
    if (secondBot !== undefined)
      await until(() => part.report()['steam: bot-2']?.detail === secondBot, `a bot that is ${secondBot}`);
    return part;
  };
  const loseAnswer = () => void (losesAnswers && world.pushFault('sendDropsAfterEffect'));
  return { ...stage, start, loseAnswer };
}

function addSecondBot({ world, login, credentials }: SteamStage): SteamCredentials {
  const bot = world.addUser({ name: 'Second bot', login: { ...login, accountName: 'demo_2' } });
  return { ...credentials, name: 'bot-2', refreshToken: issueToken(world.state, bot, 'refresh') };
}

/** A trade of the bot's with somebody else, between those that the product looks for. */
function tradeAside({ world, bot, viewer, streamer }: SteamStage, from = streamer.steamId) {
  const { assetid } = world.give(from, rifle);
  const to = from === viewer.steamId ? viewer : streamer;
  const name = { appid: 730, contextid: '2', assetid };
  const request = { to: to.steamId, token: to.steam.tradeToken, give: [], receive: [name] };
  const { firstSendings } = world.state.dialect;
  world.speak({ firstSendings: 'taken' });
  const sent = world.send(bot.steamId, request);
  world.speak({ firstSendings });
  if (!sent.ok || !world.accept(sent.offer.id, to.steamId).ok) throw new Error('no trade aside');
}

/** Waits until a transfer is accepted, which is not final before Steam says so. */
async function acceptedIn(stage: SteamStage, transferId: string) {
  const { tradeId, settlesAtMs } = await transferIn(stage, transferId, 'accepted');
  const { settlesAt = 0 } = stage.world.trade(tradeId ?? '') ?? {};
  expect(settlesAtMs).toBeGreaterThanOrEqual(settlesAt * 1000);
  return { tradeId, settlesAt };
}

/** A viewer claims an item whose sending gets no answer, accepts it, and reverses the trade. */
export async function playClaim(play: Play): Promise<void> {
  const { kind = rifle, attempts: expected = 1, atOnce = 1 } = play;
  const stage = await setPlay(play);
  const { world, bot, viewer } = stage;
  const { rewardId } = await promiseReward(stage, kind);
  const others: string[] = [];
  for (let more = 1; more < atOnce; more += 1)
    others.push(await claim(stage, (await promiseReward(stage, kind)).rewardId));
  if (others.length === 0) await stage.start();
  stage.loseAnswer();
  const transferId = await claim(stage, rewardId);
  if (others.length > 0) await stage.start();
  for (const other of others) await transferIn(stage, other, 'sent');
  const { offerId, attempts } = await transferIn(stage, transferId, 'sent');
  expect(attempts).toBe(expected);
  expect(world.offers()).toHaveLength(atOnce);
  expect(world.offers().map(({ id }) => id)).toContain(offerId);

  expect(world.accept(offerId ?? '', viewer.steamId).ok).toBe(true);
  const { tradeId } = await acceptedIn(stage, transferId);
  expect((await rewardOf(stage, rewardId)).state).toBe('claimed');

  expect(world.reverseTrade(tradeId ?? '').ok).toBe(true);
  for (let more = 0; more < 3; more += 1) tradeAside(stage);
  await transferIn(stage, transferId, 'reversed');
  const items = await itemsOf(stage);
  const back = items.filter(({ state }) => state === 'held');
  expect([items.length, back.length]).toEqual([atOnce, 1]);
  expect(back).toMatchObject([{ contextId: openContextOf(kind.appid), amount: kind.pieces ?? 1 }]);
  const isOpen = ({ contextid, appid }: { contextid: string; appid: number }) =>
    contextid === openContextOf(appid) && appid === kind.appid;
  const held = world.inventoryOf(bot.steamId).filter(isOpen);
  expect(held).toHaveLength(atOnce);
  expect(held.map(({ assetid }) => assetid)).toContain(back[0]?.assetId);
  expect(await rewardOf(stage, rewardId)).toMatchObject({ state: 'recalled', recallReason: 'reversed' });
}

/** A streamer deposits an item whose offer gets no answer, and accepts it with a trade hold. */
export async function playDeposit(play: Play): Promise<void> {
  const { kind = rifle, attempts: expected = 1 } = play;
  const stage = await setPlay(play);
  const { world, bot, streamer } = stage;
  await stage.start();
  stage.loseAnswer();
  const { transferId } = await askForDeposit(stage, kind);
  const { offerId, attempts } = await transferIn(stage, transferId, 'sent');
  expect(attempts).toBe(expected);
  world.setEscrowDays(streamer.steamId, 1);
  expect(world.accept(offerId ?? '', streamer.steamId).ok).toBe(true);
  await transferIn(stage, transferId, 'escrowed');
  stage.passDays(1);
  const { settlesAt } = await acceptedIn(stage, transferId);
  const [item] = await itemsOf(stage);
  const [asset] = world.inventoryOf(bot.steamId);
  expect(item).toMatchObject({ state: 'held', assetId: asset?.assetid, contextId: asset?.contextid });
  expect(asset).toMatchObject({ amount: String(kind.pieces ?? 1) });
  expect(item?.lockedUntilMs).toBeGreaterThanOrEqual(settlesAt * 1000);
  expect(item?.lockedUntilMs).toBeLessThanOrEqual(stage.clock.now() + 8 * day);
  stage.passDays(8);
  await transferIn(stage, transferId, 'settled');
  expect(await itemsOf(stage)).toMatchObject([{ state: 'held' }]);
  expect(world.offers()).toHaveLength(1);
}

/** Items go back and another comes; the answers to both are lost, and so is the bot before it has looked for them. */
export async function playReturn(play: Play): Promise<void> {
  const { kind = rifle, deposited = kind, atOnce = 1 } = play;
  const stage = await setPlay(play);
  const { world, bot, streamer } = stage;
  const returns: { requestId: string; itemId: string }[] = [];
  for (let nth = 0; nth < atOnce; nth += 1) {
    const { itemId } = await holdItem(stage, kind);
    returns.push({ requestId: newId(stage.clock.now()), itemId });
  }
  const first = await stage.start();
  stage.loseAnswer();
  for (const { requestId, itemId } of returns) {
    const asked = { requestId, userId: streamer.userId, itemIds: [itemId] };
    expect(await returnItems(stage.db, asked, stage.clock.now())).toMatchObject({ ok: true });
  }
  await until(() => world.offers().length === atOnce, 'the returns');
  stage.loseAnswer();
  const { transferId } = await askForDeposit(stage, deposited);
  await until(() => world.offers().length === atOnce + 1, 'the deposit');
  await first.stop();
  await letLeaseRunOut(stage);
  // An offer that gives something waits for the bot's confirmation.
  const ofDeposit = world.offers().find(({ give }) => give.length === 0);
  expect(world.accept(ofDeposit?.id ?? '', streamer.steamId).ok).toBe(true);
  tradeAside(stage);

  await stage.start();
  for (const { requestId } of returns) {
    const back = await transferIn(stage, requestId, 'sent');
    expect(world.accept(back.offerId ?? '', streamer.steamId).ok).toBe(true);
  }
  await acceptedIn(stage, transferId);
  for (const { requestId } of returns) await acceptedIn(stage, requestId);
  expect(world.offersOf(bot.steamId).filter(({ from }) => from === bot.steamId)).toHaveLength(atOnce + 2);
  stage.passDays(8);
  for (const { requestId } of returns) await transferIn(stage, requestId, 'settled');
  await transferIn(stage, transferId, 'settled');
  const items = await itemsOf(stage);
  for (const { itemId } of returns) expect(items.find(({ id }) => id === itemId)?.state).toBe('gone');
  expect(items.filter(({ state }) => state === 'held')).toHaveLength(1);
  expect(items).toHaveLength(atOnce + 1);
  const aside = 1;
  expect(world.inventoryOf(bot.steamId)).toHaveLength(1 + aside);
}
