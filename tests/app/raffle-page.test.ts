import { expect, test } from 'vitest';
import { database } from '#app/services/database.server.ts';
import { claimReward } from '#domain/claim/claim-reward.ts';
import { day, minute } from '#domain/kernel/time.ts';
import { cancelRaffle } from '#domain/raffle/cancel-raffle.ts';
import { expirePromises } from '#domain/reward/expire-promises.ts';
import { nothingAsked } from '#tests/support/conditions.ts';
import { addBot, addPerson, addStreamer } from '#tests/support/fixtures.ts';
import { recordFollows } from '#tests/support/follows.ts';
import { addRaffle, drawRaffle, enter, rewardsOfRaffle } from '#tests/support/raffles.ts';
import { readerOf, wordsOf } from './support/site.ts';
import { setWeb } from './support/web.ts';

// Nothing listens on this port: these pages do not need the bot.
await setWeb({ BOT_URL: 'http://127.0.0.1:9' });

const read = async (userId: string, path: string) =>
  wordsOf((await (await readerOf(userId)).open(path)).html);

test('A raffle’s page says who may enter, and how each place stands', async () => {
  const db = await database();
  await addBot(db);
  const streamer = await addStreamer(db);
  const [first, second] = [await addPerson(db), await addPerson(db)];
  const startMs = Date.now() - 3 * day;
  const followers = [first, second].map(({ twitchId }) => ({ twitchId, followedAtMs: startMs - 40 * day }));
  await recordFollows(db, { channelId: streamer.twitchId, followers, complete: false });
  const asked = {
    conditions: { ...nothingAsked, followDays: 7 },
    winnersOutDays: 30,
    moderatorsMayEnter: false,
  };
  const raffleId = await addRaffle(db, streamer, { ...asked, winners: 2 }, startMs);
  const twitchIds = [first.twitchId, second.twitchId];
  await enter(db, raffleId, { channelId: streamer.twitchId, twitchIds, nowMs: startMs });
  const running = await read(streamer.userId, `/raffle/${raffleId}`);
  for (const words of ['7 days', 'Winners of the last 30 days are left out', 'Moderators are left out'])
    expect(running).toContain(words);
  const drawnAtMs = await drawRaffle(db, startMs + 5 * minute);
  const [won] = await rewardsOfRaffle(db, raffleId);
  await claimReward(db, { rewardId: won?.id ?? '', userId: won?.userId ?? '' }, drawnAtMs);
  await expirePromises(db, drawnAtMs + 2 * day, Date.now());
  const drawn = await read(streamer.userId, `/raffle/${raffleId}`);
  expect(drawn).toContain('won, and is being sent it');
  expect(drawn).toContain('won and did not claim in time');
});

test('A raffle that asks nothing says so, and a cancelled one claims no more than is true', async () => {
  const db = await database();
  await addBot(db);
  const streamer = await addStreamer(db);
  const raffleId = await addRaffle(db, streamer, {}, Date.now());
  expect(await read(streamer.userId, `/raffle/${raffleId}`)).toContain('Everybody in the chat may enter');
  await cancelRaffle(db, { raffleId }, Date.now());
  expect(await read(streamer.userId, `/raffle/${raffleId}`)).toContain(
    'What was not promised by then went back',
  );
});
