import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { channels, watchGaps } from '#db/schema/channel.ts';
import { rewards } from '#db/schema/reward.ts';
import { minute, second } from '#domain/clock.ts';
import { addBot, addRule } from '#tests/support/fixtures.ts';
import { addTwitchPerson, type Stage, setStage, until, watched } from './stage.ts';

/** A streamer with a rule of ten minutes and one reward, and a viewer who is registered. */
async function setChannel(stage: Stage) {
  await addBot(stage.database);
  const streamer = await addTwitchPerson(stage, { streams: true });
  const viewer = await addTwitchPerson(stage);
  const ruleId = await addRule(stage.database, streamer, { watchMinutes: 10, rewards: 1 });
  return { streamer, viewer, ruleId };
}

const cursorOf = async (stage: Stage, channelId: string) => {
  const [channel] = await stage.database.read.select().from(channels).where(eq(channels.id, channelId));
  return channel?.live ? channel.watchedUntilMs : null;
};

async function goLive(stage: Stage, channelId: string, fields: { sameStream?: boolean } = {}) {
  stage.world.goLive(channelId, { title: 'Demo', gameName: 'Rust', ...fields });
  await until(
    () => cursorOf(stage, channelId),
    (cursor) => cursor !== null,
  );
}

/** Moves the clock and waits until the interval was read. */
async function pass(stage: Stage, channelId: string, ms = minute) {
  stage.advance(ms);
  await until(
    () => cursorOf(stage, channelId),
    (cursor) => cursor === stage.clock.now(),
  );
}

describe('Watching a live channel', () => {
  test('a whole stream credits exactly the time that passed, and meeting the rule promises the reward', async () => {
    const stage = await setStage();
    const { streamer, viewer, ruleId } = await setChannel(stage);
    const lurker = stage.world.addUser({ login: 'demo_lurker' });
    const late = stage.world.addUser({ login: 'demo_late' });
    const nightbot = stage.world.addUser({ login: 'nightbot' });
    const ours = stage.world.addUser({ login: 'keepsake_demo_bot' });
    const inChat = [streamer.twitchId, viewer.twitchId, lurker.id, nightbot.id, ours.id];
    stage.world.setChatters(streamer.twitchId, inChat);
    await stage.startBot();
    await goLive(stage, streamer.twitchId);
    for (let passed = 0; passed < 5; passed += 1) await pass(stage, streamer.twitchId);
    stage.world.joinChat(streamer.twitchId, [late.id]);
    for (let passed = 0; passed < 5; passed += 1) {
      expect(await stage.database.read.select().from(rewards).where(eq(rewards.state, 'promised'))).toEqual(
        [],
      );
      await pass(stage, streamer.twitchId, passed === 4 ? minute : 61 * second);
    }
    expect(await watched(stage.database)).toEqual({
      [viewer.twitchId]: 604,
      [lurker.id]: 604,
      [late.id]: 304,
    });
    const [promised] = await stage.database.read.select().from(rewards).where(eq(rewards.ruleId, ruleId));
    expect(promised).toMatchObject({
      state: 'promised',
      twitchId: viewer.twitchId,
      promisedAtMs: stage.clock.now(),
    });
    stage.world.goOffline(streamer.twitchId);
    await until(
      () => cursorOf(stage, streamer.twitchId),
      (cursor) => cursor === null,
    );
    stage.advance(10 * minute);
    expect(await watched(stage.database)).toMatchObject({ [viewer.twitchId]: 604 });
    expect(await stage.database.read.select().from(watchGaps)).toEqual([]);
  });
});
