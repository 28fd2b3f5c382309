import { asc, eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { twitchAccounts } from '#db/schema/account.ts';
import { subscribers } from '#db/schema/channel.ts';
import { mails } from '#db/schema/outbox.ts';
import { rewards } from '#db/schema/reward.ts';
import { rules } from '#db/schema/rule.ts';
import { hour, minute } from '#domain/kernel/time.ts';
import {
  addTwitchPerson,
  channelOf,
  type Stage,
  setChannel,
  setStage,
  until,
} from '#tests/bot/twitch/stage.ts';
import { addRule } from '#tests/support/fixtures.ts';

const asked = { watchMinutes: null, subscriberTier: 2 } as const;
const rewardOf = async (stage: Stage, ruleId: string) =>
  (await stage.db.read.select().from(rewards).where(eq(rewards.ruleId, ruleId)))[0];
const known = async (stage: Stage) => {
  const rows = await stage.db.read.select().from(subscribers).orderBy(asc(subscribers.twitchId));
  return rows.map(({ twitchId, tier }) => [twitchId, tier]);
};
const listIsRead = (stage: Stage, channelId: string) =>
  until(
    () => channelOf(stage, channelId),
    (channel) => channel.subscribersReadAtMs === stage.clock.now(),
  );

describe('The list of subscribers', () => {
  test('is read page by page, gifted and bought alike, and its subscribers qualify', async () => {
    const stage = await setStage();
    const { streamer, viewer, ruleId } = await setChannel(stage, asked);
    const crowd = stage.world.addChatters(streamer.twitchId, 250);
    for (const { id } of crowd) stage.world.subscribe(streamer.twitchId, id, '1000');
    stage.world.subscribe(streamer.twitchId, viewer.twitchId, '2000', true);
    await stage.startBot();
    await until(
      () => rewardOf(stage, ruleId),
      (reward) => reward?.state === 'promised',
    );
    expect(await rewardOf(stage, ruleId)).toMatchObject({ twitchId: viewer.twitchId });
    const rows = await known(stage);
    expect(rows).toHaveLength(251);
    expect(rows.filter(([, tier]) => tier === 2)).toEqual([[viewer.twitchId, 2]]);
  });

  test('is reread after four hours, and removes subscribers who left without an event', async () => {
    const stage = await setStage();
    const { streamer, viewer } = await setChannel(stage, asked);
    const { twitchId: channelId } = streamer;
    stage.world.subscribe(channelId, viewer.twitchId, '2000');
    await stage.startBot();
    await listIsRead(stage, channelId);
    stage.world.faults.failNext({ answer: 503, path: '/mock/subscriptions', times: 4 });
    stage.advance(4 * hour);
    await listIsRead(stage, channelId);
    expect(stage.world.faults.pending().requests).toEqual([]);
    expect(await known(stage)).toEqual([[viewer.twitchId, 2]]);
  });

  test('is not read where no rule needs it', async () => {
    const stage = await setStage();
    const { streamer } = await setChannel(stage);
    await stage.startBot();
    const other = await setChannel(stage, asked);
    await listIsRead(stage, other.streamer.twitchId);
    expect(await channelOf(stage, streamer.twitchId)).toMatchObject({ subscribersReadAtMs: null });
  });

  test('of a channel that cannot have any does not restrict the link, and reports why', async () => {
    const stage = await setStage();
    const { streamer, ruleId } = await setChannel(stage, asked);
    const { twitchId: channelId } = streamer;
    stage.world.setBroadcasterType(channelId, '');
    await stage.startBot();
    await until(
      () => channelOf(stage, channelId),
      (channel) => channel.subscribersFault === 'notAffiliate',
    );
    const [link] = await stage.db.read
      .select({ state: twitchAccounts.state })
      .from(twitchAccounts)
      .where(eq(twitchAccounts.twitchId, channelId));
    expect(link?.state).toBe('connected');
    const [rule] = await stage.db.read.select().from(rules).where(eq(rules.id, ruleId));
    expect(rule?.state).toBe('open');
    stage.world.setBroadcasterType(channelId, 'affiliate');
    await listIsRead(stage, channelId);
    expect(await channelOf(stage, channelId)).toMatchObject({ subscribersFault: null });
  });
});

test('Whether a channel can have subscribers is read again for a rule that asks for them', async () => {
  const stage = await setStage();
  const { streamer } = await setChannel(stage);
  const { twitchId: channelId } = streamer;
  const typeIs = (type: string) =>
    until(
      () => channelOf(stage, channelId),
      (channel) => channel.broadcasterType === type,
    );
  await stage.startBot();
  await typeIs('affiliate');
  stage.world.setBroadcasterType(channelId, '');
  await addRule(stage.db, streamer, { ...asked, rewards: 0 });
  await typeIs('plain');
  const [letter] = await stage.db.read.select().from(mails).where(eq(mails.template, 'noSubscribers'));
  expect(letter).toBeDefined();
});

describe('Subscription events', () => {
  test('give a new subscriber a promise at once, gifted or bought', async () => {
    const stage = await setStage();
    const { streamer, viewer, ruleId } = await setChannel(stage, asked);
    const bot = await stage.startBot();
    await until(
      () => bot.report().twitch?.detail,
      (detail) => detail === 'receiving events from 1 of 1 channels',
    );
    await listIsRead(stage, streamer.twitchId);
    stage.world.subscribe(streamer.twitchId, viewer.twitchId, '3000', true);
    await until(
      () => rewardOf(stage, ruleId),
      (reward) => reward?.state === 'promised',
    );
    stage.world.unsubscribe(streamer.twitchId, viewer.twitchId);
    await until(
      () => known(stage),
      (rows) => rows.length === 0,
    );
    const other = await addTwitchPerson(stage);
    stage.advance(minute);
    stage.world.subscribe(streamer.twitchId, other.twitchId, '1000');
    await until(
      () => known(stage),
      (rows) => rows.length === 1,
    );
    expect(await known(stage)).toEqual([[other.twitchId, 1]]);
  });
});
