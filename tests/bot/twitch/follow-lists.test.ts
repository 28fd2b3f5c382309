import { asc, eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { readFollows } from '#bot/twitch/channel/follow-reader.ts';
import { follows } from '#db/schema/channel.ts';
import { rewards } from '#db/schema/reward.ts';
import { recordFollows } from '#domain/audience/record-follows.ts';
import { day, hour, minute } from '#domain/kernel/time.ts';
import { listWatchedChannels } from '#domain/rule/list-watched-channels.ts';
import { addFollowers } from '#sandbox/twitch/crowds.ts';
import { givenAlone } from '#tests/bot/twitch/points-stage.ts';
import { channelOf, type Stage, setChannel, setStage, until } from '#tests/bot/twitch/stage.ts';
import { START_MS } from '#tests/support/fixtures.ts';

const asked = { watchMinutes: null, followDays: 7 } as const;
const known = async (stage: Stage) =>
  (await stage.db.read.select().from(follows).orderBy(asc(follows.twitchId))).length;

type HandleNoFollow = ReturnType<typeof readFollows>['handleNoFollow'];

/** One process that reads lists; `fail` breaks the calls for these pages, counted from one. */
function startReader(
  stage: Stage,
  fail: readonly number[] = [],
  onPage: (handleNoFollow: HandleNoFollow) => void = () => {},
) {
  const { api, ...given } = givenAlone(stage);
  const cursors: (string | null)[] = [];
  const follows = readFollows({
    ...given,
    api: {
      ...api,
      async followerPage(channelId, cursor) {
        cursors.push(cursor);
        if (fail.includes(cursors.length)) throw new Error('socket hang up');
        const page = await api.followerPage(channelId, cursor);
        onPage(follows.handleNoFollow);
        return page;
      },
    },
    retryAfterMs: 1,
    wake: () => {},
  });
  const round = async () => {
    await follows.round(await listWatchedChannels(stage.db.read), new AbortController().signal);
    await follows.settle();
  };
  return { cursors, round };
}

test('A list goes on where it was interrupted, also in the next process', async () => {
  const stage = await setStage();
  const { streamer } = await setChannel(stage, asked);
  addFollowers(stage.world, streamer.twitchId, 350);
  const first = startReader(stage, [3]);
  await first.round();
  expect(first.cursors).toHaveLength(3);
  expect(await known(stage)).toBe(200);
  expect(await channelOf(stage, streamer.twitchId)).toMatchObject({ followsReadAtMs: null });
  const next = startReader(stage);
  await next.round();
  expect(next.cursors[0]).toBe(first.cursors[2]);
  expect(next.cursors).toHaveLength(2);
  expect(await known(stage)).toBe(350);
  expect(await channelOf(stage, streamer.twitchId)).toMatchObject({
    followsReadAtMs: START_MS,
    followsListed: 350,
    followsCursor: null,
  });
});

test('A list whose cursor Twitch forgot is read from its beginning', async () => {
  const stage = await setStage();
  const { streamer } = await setChannel(stage, asked);
  addFollowers(stage.world, streamer.twitchId, 150);
  const first = startReader(stage, [2]);
  await first.round();
  stage.world.faults.failNext({ answer: 400, path: '/mock/channels/followers' });
  const next = startReader(stage);
  await next.round();
  expect(await channelOf(stage, streamer.twitchId)).toMatchObject({
    followsReadAtMs: null,
    followsCursor: null,
  });
  await until(next.round, () => next.cursors.length === 3);
  expect(next.cursors[1]).toBeNull();
  expect(await channelOf(stage, streamer.twitchId)).toMatchObject({ followsListed: 150 });
});

test('Whoever is missing on the complete list does not follow, unless they were reported meanwhile', async () => {
  const stage = await setStage();
  const { streamer } = await setChannel(stage, asked);
  const { twitchId: channelId } = streamer;
  const gone = { channelId, followers: [{ twitchId: '1', followedAtMs: 1 }] };
  await recordFollows(stage.db, gone, START_MS - hour);
  await recordFollows(stage.db, { channelId, followers: [{ twitchId: '2', followedAtMs: 1 }] }, START_MS);
  const listed = async () => {
    const rows = await stage.db.read.select().from(follows).where(eq(follows.channelId, channelId));
    return rows.map(({ twitchId }) => twitchId).sort();
  };
  const reader = startReader(stage);
  await reader.round();
  expect(await listed()).toEqual(['1', '2']);
  // The second look comes minutes later, not hours.
  stage.advance(2 * minute);
  await recordFollows(
    stage.db,
    { channelId, followers: [{ twitchId: '2', followedAtMs: 1 }] },
    stage.clock.now(),
  );
  await reader.round();
  expect(await listed()).toEqual(['2']);
});

test('A number without a list is a missing permission, and ends no follow', async () => {
  const stage = await setStage();
  const { streamer } = await setChannel(stage, asked);
  const { twitchId: channelId } = streamer;
  const before = [{ twitchId: '1', followedAtMs: 1 }];
  await recordFollows(stage.db, { channelId, followers: before }, START_MS - hour);
  const { api, ...given } = givenAlone(stage);
  const faults: string[] = [];
  const reader = readFollows({
    ...given,
    api: { ...api, followerPage: async () => ({ followers: [], cursor: null, total: 5 }) },
    onFault: async (_channelId, { code }) => void faults.push(code),
    wake: () => {},
  });
  await reader.round(await listWatchedChannels(stage.db.read), new AbortController().signal);
  await reader.settle();
  expect(faults).toEqual(['accessRefused']);
  expect(await known(stage)).toBe(1);
});

test('On a long list, viewers who meet all else are asked about first', async () => {
  const stage = await setStage();
  const { streamer, viewer, ruleId } = await setChannel(stage, asked);
  addFollowers(stage.world, streamer.twitchId, 20_001);
  stage.world.follow(streamer.twitchId, viewer.twitchId, START_MS - 400 * day);
  await stage.startBot();
  await until(
    async () => (await stage.db.read.select().from(rewards).where(eq(rewards.ruleId, ruleId)))[0],
    (reward) => reward?.state === 'promised',
  );
  expect(await channelOf(stage, streamer.twitchId)).toMatchObject({ followsReadAtMs: null });
});

test('The answer that somebody does not follow is not undone by a page that was read before it', async () => {
  const stage = await setStage();
  const { streamer } = await setChannel(stage, asked);
  const { twitchId: channelId } = streamer;
  addFollowers(stage.world, channelId, 3);
  const [gone] = stage.world.followersOf(channelId);
  const reader = startReader(stage, [], (handleNoFollow) =>
    // Twitch has made the page; a claim's check asks about one viewer and is answered first.
    handleNoFollow({ channelId, twitchId: gone?.userId ?? '' }),
  );
  await reader.round();
  const left = (await stage.db.read.select().from(follows)).map(({ twitchId }) => twitchId);
  expect([left.length, left.includes(gone?.userId ?? '')]).toEqual([2, false]);
});
