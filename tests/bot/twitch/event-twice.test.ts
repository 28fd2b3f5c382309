import { getTableName, is, Table } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { readFollows } from '#bot/twitch/channel/follow-reader.ts';
import { trackStreams } from '#bot/twitch/channel/stream-tracker.ts';
import { readSubscribers } from '#bot/twitch/channel/subscriber-reader.ts';
import { dispatchEvents } from '#bot/twitch/events/event-dispatcher.ts';
import { eventTopics } from '#bot/twitch/events/event-topics.ts';
import { pollRedemptions } from '#bot/twitch/points/redemption-poller.ts';
import type { Database } from '#db/database.ts';
import * as accountTables from '#db/schema/account.ts';
import * as channelTables from '#db/schema/channel.ts';
import * as drawTables from '#db/schema/draw.ts';
import * as itemTables from '#db/schema/item.ts';
import * as outboxTables from '#db/schema/outbox.ts';
import * as redemptionTables from '#db/schema/redemption.ts';
import * as rewardTables from '#db/schema/reward.ts';
import * as ruleTables from '#db/schema/rule.ts';
import * as transferTables from '#db/schema/transfer.ts';
import * as twitchTables from '#db/schema/twitch.ts';
import { hour, second } from '#domain/kernel/time.ts';
import { beginCustomReward, confirmCustomReward } from '#domain/redemption/record-custom-reward.ts';
import { listWatchedChannels } from '#domain/rule/list-watched-channels.ts';
import { recordStream } from '#domain/watch-time/record-stream.ts';
import { addRule } from '#tests/support/fixtures.ts';
import { asksPoints, givenAlone, goOn } from './points-stage.ts';
import { channelOf, type Stage, setChannel, setStage } from './stage.ts';

const schema = {
  ...accountTables,
  ...channelTables,
  ...drawTables,
  ...itemTables,
  ...outboxTables,
  ...redemptionTables,
  ...rewardTables,
  ...ruleTables,
  ...transferTables,
  ...twitchTables,
};

/** Every row of every table except seen messages, and without when Twitch last named a follow. */
async function everything(db: Database): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {};
  for (const table of Object.values(schema) as unknown[]) {
    if (!is(table, Table) || table === twitchTables.seenMessages) continue;
    const rows = await db.read.select().from(table as typeof twitchTables.conduits);
    found[getTableName(table)] = rows
      .map((row) => JSON.stringify(row, (name, value) => (name === 'seenAtMs' ? undefined : value)))
      .sort();
  }
  return found;
}

/** A process that has finished its initial reads and receives events. */
async function startProcess(stage: Stage) {
  const given = givenAlone(stage);
  const streams = trackStreams({ ...given, lagMs: 180_000, repollMs: 1000 });
  const follows = readFollows(given);
  const subscribers = readSubscribers(given);
  const redemptions = pollRedemptions({
    ...given,
    everyMs: hour,
    pausedEveryMs: hour,
    seen: () => {},
    receivesAllEvents: () => true,
  });
  const watched = await listWatchedChannels(stage.db.read);
  await follows.round(watched, goOn());
  await subscribers.round(watched, goOn());
  await redemptions.round(goOn());
  const hearers = { streams: { ...streams, catchUp: () => {} }, follows, subscribers, redemptions };
  return dispatchEvents({ ...given, topics: eventTopics(hearers) });
}

const REDEMPTION_ID = 'redemption-1';

interface Reported {
  nowMs: number;
  viewerId: string;
  twitchRewardId: string;
}

interface Happening {
  /** Earlier events. */
  before?: readonly [type: string, event: (reported: Reported) => object][];
  event(reported: Reported): object;
  /** It names nobody; only a list is reread. */
  changesNothing?: true;
}

const iso = (ms: number): string => new Date(ms).toISOString();
const online = ({ nowMs }: Reported) => ({ id: 's1', type: 'live', started_at: iso(nowMs) });
const subscription = ({ viewerId }: Reported) => ({ user_id: viewerId, tier: '2000' });
const redemption =
  (status: string) =>
  ({ nowMs, viewerId, twitchRewardId }: Reported) => ({
    id: REDEMPTION_ID,
    user_id: viewerId,
    reward: { id: twitchRewardId },
    status,
    redeemed_at: iso(nowMs),
  });
const redeemed = 'channel.channel_points_custom_reward_redemption';

const happenings: Record<string, readonly Happening[]> = {
  'stream.online': [{ event: online }],
  'stream.offline': [{ before: [['stream.online', online]], event: () => ({}) }],
  'channel.follow': [{ event: ({ nowMs, viewerId }) => ({ user_id: viewerId, followed_at: iso(nowMs) }) }],
  'channel.subscribe': [{ event: subscription }],
  'channel.subscription.message': [{ event: subscription }],
  'channel.subscription.end': [{ before: [['channel.subscribe', subscription]], event: subscription }],
  'channel.subscription.gift': [{ event: () => ({}), changesNothing: true }],
  [`${redeemed}.add`]: [{ event: redemption('unfulfilled') }, { event: redemption('fulfilled') }],
  [`${redeemed}.update`]: (['fulfilled', 'canceled'] as const).map((status) => ({
    before: [[`${redeemed}.add`, redemption('unfulfilled')]],
    event: redemption(status),
  })),
};

/** A channel with a rule for each kind of event, and a viewer who meets one with each event. */
async function setRules() {
  const stage = await setStage();
  const { db } = stage;
  const { streamer, viewer } = await setChannel(stage, { followDays: 1 });
  const channelId = streamer.twitchId;
  await addRule(db, streamer, { watchMinutes: null, subscriberTier: 2, rewards: 2 });
  const ruleId = await addRule(db, streamer, { ...asksPoints, rewards: 2 });
  await beginCustomReward(db, { ruleId, channelId });
  const { points } = givenAlone(stage);
  const text = { title: 'Demo case', prompt: '', cost: 500 };
  const { id: twitchRewardId } = await points.createHidden(channelId, text);
  await confirmCustomReward(db, { ruleId, twitchRewardId, state: 'disabled' }, stage.clock.now());
  const reported: Reported = { nowMs: stage.clock.now(), viewerId: viewer.twitchId, twitchRewardId };
  return { stage, channelId, reported };
}

describe('A message handled twice, because its mark was lost, changes nothing', () => {
  test.each(
    Object.entries(happenings).flatMap(([type, all]) =>
      all.map((happening, n) => [type, n, happening] as const),
    ),
  )('%s (%i)', async (type, _n, { before = [], event, changesNothing }) => {
    const { stage, channelId, reported } = await setRules();
    const { db } = stage;
    const [first, second_] = [await startProcess(stage), await startProcess(stage)];
    let messages = 0;
    const say = (of: string, happened: object) => ({
      messageId: `message-${++messages}`,
      sentAtMs: Date.now(),
      type: of,
      channelId,
      event: happened,
    });
    for (const [of, make] of before) {
      first.take(say(of, make(reported)));
      await first.settle();
    }
    const untouched = await everything(db);
    const message = say(type, event(reported));
    first.take(message);
    await first.settle();
    const handled = await everything(db);
    if (!changesNothing) expect(handled).not.toEqual(untouched);
    await db.transaction((tx) => tx.delete(twitchTables.seenMessages));
    stage.advance(20 * second);
    second_.take(message);
    await second_.settle();
    expect(await db.read.$count(twitchTables.seenMessages)).toBe(1);
    expect(await everything(db)).toEqual(handled);
  });

  test('does not undo later changes: the stream’s game and title', async () => {
    const { stage, channelId, reported } = await setRules();
    const { db, clock } = stage;
    const names = { gameName: 'Rust', title: 'Demo' };
    const stream = { streamId: 's1', startedAtMs: reported.nowMs, ...names };
    await recordStream(db, { channelId, stream }, clock.now());
    const { take, settle } = await startProcess(stage);
    take({ messageId: '1', sentAtMs: Date.now(), type: 'stream.online', channelId, event: online(reported) });
    await settle();
    expect(await channelOf(stage, channelId)).toMatchObject({ live: true, ...names });
  });

  test('is tested for every kind of message', () => {
    const hearers = {} as Parameters<typeof eventTopics>[0];
    const nothing = { catchUp: () => {}, mayMiss: () => {} } as never;
    const topics = eventTopics({ ...hearers, streams: nothing, subscribers: nothing, redemptions: nothing });
    expect(topics.map(({ type }) => type).sort()).toEqual(Object.keys(happenings).sort());
  });
});
