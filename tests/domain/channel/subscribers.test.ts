import { asc, eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { channels, subscribers } from '#db/schema/channel.ts';
import { mails } from '#db/schema/outbox.ts';
import { handleSubscriptionEvent } from '#domain/audience/handle-subscription-event.ts';
import { recordSubscriber } from '#domain/channel/record-subscriber.ts';
import { recordSubscribers, type Subscriber } from '#domain/channel/record-subscribers.ts';
import { recordSubscribersFault } from '#domain/channel/record-subscribers-fault.ts';
import { hour } from '#domain/kernel/time.ts';
import { evaluateChannel } from '#domain/rule/evaluate-channel.ts';
import { getRule } from '#domain/rule/list-rules.ts';
import { listWatchedChannels } from '#domain/rule/list-watched-channels.ts';
import { addPerson, addRule, addStreamer, START_MS } from '#tests/support/fixtures.ts';
import { rewardsOf } from '#tests/support/looking.ts';
import { db, setScene, streamer } from '#tests/support/scene.ts';
import { watchFor } from '#tests/support/watching.ts';

setScene();

const known = async () => {
  const rows = await db.read.select().from(subscribers).orderBy(asc(subscribers.twitchId));
  return rows.map(({ channelId, twitchId, tier }) => [channelId, twitchId, tier]);
};
const readList = (listed: Subscriber[], readAtMs = START_MS) =>
  recordSubscribers(db, { channelId: streamer.twitchId, subscribers: listed, readAtMs });
const channel = async () =>
  (await db.read.select().from(channels).where(eq(channels.id, streamer.twitchId)))[0];

describe('A list of subscribers', () => {
  test('that misses somebody once ends nothing, nor does one that proves nothing', async () => {
    const one = { twitchId: '1', tier: 1 } as const;
    const readAgain = (atMs: number, listed: Subscriber[], proves = true) =>
      recordSubscribers(db, { channelId: streamer.twitchId, subscribers: listed, readAtMs: atMs, proves });
    await readList([one]);
    expect(await readAgain(START_MS + hour, [])).toBe(1);
    await readAgain(START_MS + 2 * hour, [], false);
    expect(await known()).toHaveLength(1);
    // A viewer listed in between was not missing.
    await readAgain(START_MS + 3 * hour, [one]);
    expect(await readAgain(START_MS + 4 * hour, [])).toBe(1);
    expect(await known()).toHaveLength(1);
    expect(await readAgain(START_MS + 5 * hour, [])).toBe(0);
    expect(await known()).toEqual([]);
  });

  test('that is complete replaces what was known of this channel only', async () => {
    const other = await addStreamer(db);
    await handleSubscriptionEvent(db, { channelId: other.twitchId, twitchId: '9', tier: 1, ended: false }, 1);
    await readList([
      { twitchId: '1', tier: 1 },
      { twitchId: '2', tier: 3 },
      { twitchId: '2', tier: 3 },
    ]);
    for (const readAtMs of [START_MS + hour / 2, START_MS + hour])
      await readList(
        [
          { twitchId: '2', tier: 2 },
          { twitchId: '3', tier: 1 },
        ],
        readAtMs,
      );
    expect(await known()).toEqual([
      [streamer.twitchId, '2', 2],
      [streamer.twitchId, '3', 1],
      [other.twitchId, '9', 1],
    ]);
    expect(await channel()).toMatchObject({ subscribersReadAtMs: START_MS + hour });
  });

  test('that is read again clears the fault', async () => {
    await recordSubscribersFault(db, { channelId: streamer.twitchId, fault: 'notAffiliate' }, START_MS);
    expect(await channel()).toMatchObject({ subscribersFault: 'notAffiliate' });
    await readList([]);
    expect(await channel()).toMatchObject({ subscribersFault: null });
  });

  test('that cannot exist is mailed to the streamer once, until it could be read', async () => {
    const record = () =>
      recordSubscribersFault(db, { channelId: streamer.twitchId, fault: 'notAffiliate' }, START_MS);
    const letters = () => db.read.select().from(mails).where(eq(mails.template, 'noSubscribers'));
    await record();
    await record();
    expect(await letters()).toMatchObject([{ runAtMs: START_MS, values: { channel: expect.any(String) } }]);
    await readList([]);
    await record();
    expect(await letters()).toHaveLength(2);
  });

  test('that cannot be read is shown on the rules that need it, and on no others', async () => {
    const asking = await addRule(db, streamer, { rewards: 0, watchMinutes: null, subscriberTier: 1 });
    const other = await addRule(db, streamer, { rewards: 0 });
    await recordSubscribersFault(db, { channelId: streamer.twitchId, fault: 'notAffiliate' }, START_MS);
    const faultOf = async (ruleId: string) =>
      (await getRule(db, { ruleId, ownerId: streamer.userId }))?.subscribersFault;
    expect([await faultOf(asking), await faultOf(other)]).toEqual(['notAffiliate', null]);
  });

  test('is read for channels with an open rule on subscriptions', async () => {
    await addRule(db, streamer, { rewards: 0 });
    expect(await listWatchedChannels(db.read)).toMatchObject([{ needs: { subscriber: false } }]);
    await addRule(db, streamer, { rewards: 0, watchMinutes: null, subscriberTier: 1 });
    expect(await listWatchedChannels(db.read)).toMatchObject([{ needs: { subscriber: true } }]);
  });
});

test('A viewer who no longer subscribes to one channel stays a subscriber of others, like everyone else', async () => {
  const other = await addStreamer(db);
  const record = (channelId: string, twitchId: string, tier: 1 | null) =>
    db.transaction((tx) => recordSubscriber(tx, { channelId, twitchId, tier }));
  await record(streamer.twitchId, '1', 1);
  await record(streamer.twitchId, '2', 1);
  await record(other.twitchId, '1', 1);
  await record(streamer.twitchId, '1', null);
  expect(await known()).toEqual([
    [other.twitchId, '1', 1],
    [streamer.twitchId, '2', 1],
  ]);
});

describe('A subscription event', () => {
  const receive = (twitchId: string, tier: 1 | 2 | 3, ended = false) =>
    handleSubscriptionEvent(db, { channelId: streamer.twitchId, twitchId, tier, ended }, START_MS);

  test('qualifies a new subscriber at once, and nobody below the tier', async () => {
    const ruleId = await addRule(db, streamer, { watchMinutes: null, subscriberTier: 2, rewards: 2 });
    const [low, high] = [await addPerson(db), await addPerson(db)];
    expect(await receive(low.twitchId, 1)).toBe(0);
    expect(await receive(high.twitchId, 2)).toBe(1);
    expect(await receive(high.twitchId, 2)).toBe(0);
    expect(await rewardsOf(db, ruleId)).toMatchObject([
      { state: 'promised', twitchId: high.twitchId },
      { state: 'free' },
    ]);
    expect(await receive(low.twitchId, 3)).toBe(1);
  });

  test('does not replace the other conditions', async () => {
    await addRule(db, streamer, { watchMinutes: 60, watchScope: 'allTime', subscriberTier: 1 });
    const viewer = await addPerson(db);
    expect(await receive(viewer.twitchId, 1)).toBe(0);
    await watchFor(db, streamer.twitchId, [[viewer.twitchId, 3600]]);
    expect(await receive(viewer.twitchId, 1)).toBe(1);
  });

  test('about an end revokes no promise', async () => {
    const ruleId = await addRule(db, streamer, { watchMinutes: null, subscriberTier: 1 });
    const viewer = await addPerson(db);
    await receive(viewer.twitchId, 1);
    expect(await receive(viewer.twitchId, 1, true)).toBe(0);
    expect(await known()).toEqual([]);
    await evaluateChannel(db, streamer.twitchId, START_MS);
    expect(await rewardsOf(db, ruleId)).toMatchObject([{ state: 'promised' }]);
  });

  test('about an end on one channel leaves the subscription to another', async () => {
    const other = await addStreamer(db);
    const elsewhere = { channelId: other.twitchId, twitchId: '1', tier: 1, ended: false } as const;
    await handleSubscriptionEvent(db, elsewhere, START_MS);
    await receive('1', 1);
    await receive('1', 1, true);
    expect(await known()).toEqual([[other.twitchId, '1', 1]]);
  });

  test('about the end of a tier replaced by another has no effect, in any order', async () => {
    await receive('1', 1);
    await receive('1', 2);
    await receive('1', 1, true);
    expect(await known()).toEqual([[streamer.twitchId, '1', 2]]);
    await receive('1', 2, true);
    await receive('1', 3);
    expect(await known()).toEqual([[streamer.twitchId, '1', 3]]);
  });
});
