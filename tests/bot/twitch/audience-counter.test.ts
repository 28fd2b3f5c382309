import { and, eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { channelDays } from '#db/schema/channel.ts';
import { dayOf, hour } from '#domain/kernel/time.ts';
import { type Stage, setChannel, setStage, until } from '#tests/bot/twitch/stage.ts';

const counted = async (stage: Stage, channelId: string) => {
  const today = and(eq(channelDays.channelId, channelId), eq(channelDays.dayMs, dayOf(stage.clock.now())));
  const [row] = await stage.db.read.select().from(channelDays).where(today);
  return { followers: row?.followers ?? null, subscribers: row?.subscribers ?? null };
};

/** A channel with a rule for watch time alone, three followers and two subscribers. */
async function setAudience(broadcasterType: 'affiliate' | '' = 'affiliate') {
  const stage = await setStage();
  const { streamer } = await setChannel(stage);
  const { twitchId: channelId } = streamer;
  const people = stage.world.addChatters(channelId, 4).map(({ id }) => id);
  for (const id of people.slice(0, 3)) stage.world.follow(channelId, id);
  for (const id of people.slice(0, 2)) stage.world.subscribe(channelId, id);
  stage.world.setBroadcasterType(channelId, broadcasterType);
  const bot = { start: () => stage.startBot({ audienceMs: 0 }) };
  return { stage, channelId, people, bot };
}

const untilCounted = (stage: Stage, channelId: string, followers: number, subscribers: number) =>
  until(
    () => counted(stage, channelId),
    (found) => found.followers === followers && found.subscribers === subscribers,
  );

test('Followers and subscribers are counted though no rule needs their lists, and again after four hours', async () => {
  const { stage, channelId, people, bot } = await setAudience();
  await bot.start();
  await untilCounted(stage, channelId, 3, 2);
  stage.world.follow(channelId, people[3] ?? '');
  stage.world.unsubscribe(channelId, people[0] ?? '');
  stage.advance(4 * hour);
  await untilCounted(stage, channelId, 4, 1);
});

test('A channel that cannot have subscribers has no number of them', async () => {
  const { stage, channelId, bot } = await setAudience('');
  await bot.start();
  await until(
    () => counted(stage, channelId),
    ({ followers }) => followers === 3,
  );
  expect((await counted(stage, channelId)).subscribers).toBeNull();
});

test('A count that Twitch refuses is left for later, and the other channels are counted', async () => {
  const { stage, channelId, bot } = await setAudience();
  const other = await setChannel(stage);
  stage.world.follow(other.streamer.twitchId, other.viewer.twitchId);
  // Twurple tries three times more by itself.
  stage.world.faults.failNext({ answer: 503, path: '/mock/channels/followers', times: 4 });
  await bot.start();
  await until(
    () => counted(stage, other.streamer.twitchId),
    ({ followers }) => followers === 1,
  );
  expect(await counted(stage, channelId)).toEqual({ followers: null, subscribers: null });
});
